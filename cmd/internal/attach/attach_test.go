// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package attach

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/node"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// A command asks the node of the data directory that is named with it, unless an endpoint is named.
func TestEndpoint(t *testing.T) {
	dir := t.TempDir()
	for _, row := range []struct {
		args []string
		want string
	}{
		{nil, RPCFlag.Value},
		{[]string{"--datadir", dir}, filepath.Join(dir, "gwon.ipc")},
		{[]string{"--testnet"}, filepath.Join(program.DefaultDataDir(), "testnet", "gwon.ipc")},
		{[]string{"--datadir", dir, "--rpc", "http://127.0.0.1:1"}, "http://127.0.0.1:1"},
	} {
		t.Run(fmt.Sprint(row.args), func(t *testing.T) {
			app := &cli.App{
				Flags: []cli.Flag{RPCFlag, settings.DataDirFlag, settings.MainnetFlag, settings.TestnetFlag},
				Action: func(ctx *cli.Context) error {
					got, err := Endpoint(ctx)
					expect.That(t, err == nil && got == row.want, "%s, %v, want %s", got, err, row.want)
					return nil
				},
			}
			must.Do(t, app.Run(append([]string{"gwon"}, row.args...)))
		})
	}
}

// A node without IPC is told from none, and the question leaves no file behind.
func TestExplainDial(t *testing.T) {
	cfg := &node.Config{DataDir: t.TempDir(), Name: "gwon", IPCPath: "gwon.ipc"}
	explain := func() string { return ExplainDial("gwon attach", cfg, cfg.IPCEndpoint(), fs.ErrNotExist).Error() }
	expect := func(want string) {
		t.Helper()
		expect.Contains(t, explain(), want, "explain")
	}
	const none, some = "no node runs with this data directory", "but offers no IPC there"
	expect(none)
	if entries, err := fs.Glob(os.DirFS(cfg.DataDir), "*"); err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	stack := must.Get(node.New(cfg))(t)
	expect(some)
	if text := ExplainDial("gwon attach", cfg, "/other.ipc", fs.ErrNotExist).Error(); !strings.Contains(text, none) {
		t.Errorf("another endpoint: %s", text)
	}
	must.Do(t, stack.Close())
	expect(none)
}
