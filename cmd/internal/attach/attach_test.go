// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package attach

import (
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/node"
)

// A node without IPC is told from none, and the question leaves no file behind.
func TestExplainDial(t *testing.T) {
	cfg := &node.Config{DataDir: t.TempDir(), Name: "gwon", IPCPath: "gwon.ipc"}
	explain := func() string { return ExplainDial("gwon attach", cfg, cfg.IPCEndpoint(), fs.ErrNotExist).Error() }
	expect := func(want string) {
		t.Helper()
		if text := explain(); !strings.Contains(text, want) {
			t.Errorf("%s; want %q", text, want)
		}
	}
	const none, some = "no node runs with this data directory", "but offers no IPC there"
	expect(none)
	if entries, err := fs.Glob(os.DirFS(cfg.DataDir), "*"); err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	stack, err := node.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	expect(some)
	if text := ExplainDial("gwon attach", cfg, "/other.ipc", fs.ErrNotExist).Error(); !strings.Contains(text, none) {
		t.Errorf("another endpoint: %s", text)
	}
	if err := stack.Close(); err != nil {
		t.Fatal(err)
	}
	expect(none)
}
