// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package nodestart

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gwon/cmd/internal/apptest"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// A node with a signer has no key and no vote log of its own, and nothing that needs a key in the process.
func TestSignerExcludesKeys(t *testing.T) {
	for name, row := range map[string]struct {
		file string // in the data directory
		args []string
		want string
	}{
		"node key":             {file: "nodekey", want: "gwon-signer init"},
		"encrypted node key":   {file: "nodekey.json", want: "gwon-signer init"},
		"key that is moved":    {file: "nodekey.moving", want: "gwon-signer init"},
		"vote log":             {file: "votes.log", want: "gwon-signer init"},
		"key file":             {args: []string{"--nodekey", "key"}, want: "--nodekey exclude each other"},
		"digits of a key":      {args: []string{"--nodekeyhex", strings.Repeat("1", 64)}, want: "exclude each other"},
		"discovery v5":         {args: []string{"--discovery.v5"}, want: "--discovery.v5 needs a key in the node"},
		"credentials":          {args: []string{"--validator.signer.credentials", "node.pem"}, want: "host and port"},
		"host and port, alone": {args: []string{"--validator.signer", "127.0.0.1:1"}, want: "host and port"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if row.file != "" {
				must.Do(t, os.MkdirAll(filepath.Join(dir, "gwon"), 0o700))
				apptest.WriteFile(t, filepath.Join(dir, "gwon", row.file), "content")
			}
			args := append([]string{"--datadir", dir, "--validator.signer", filepath.Join(dir, "socket")}, row.args...)
			expect.Says(t, expect.Err(nodeKeyAtStart(t, args...)), row.want, "nodeKeyAtStart")
		})
	}
}
