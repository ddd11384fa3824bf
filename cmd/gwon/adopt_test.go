// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gwon/cmd/internal/apptest"
	"gwon/cmd/internal/program"
	"gwon/operator/adopt"
	"gwon/operator/adopt/adopttest"
)

// hashOf returns a hash over names and contents of a directory.
func hashOf(t *testing.T, dir string) [32]byte {
	t.Helper()
	hash := sha256.New()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		_, _ = fmt.Fprintf(hash, "%s %d %x\n", path, len(content), sha256.Sum256(content)) // a hash takes all
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return [32]byte(hash.Sum(nil))
}

// No command that opens a chain database opens one of go-stablenet, not under the name that gwon's has either. It names
// the command for it, and changes nothing.
func TestForeignDatabaseIsRefused(t *testing.T) {
	genesis, blocks := adopttest.Chain(t, 20)
	calls := [][]string{
		{"--nodiscover", "--port", "0", "--ipcdisable"},
		{"--mine", "--nodiscover", "--port", "0", "--ipcdisable"},
		{"import", apptest.TempFile(t, "")},
		{"export", filepath.Join(t.TempDir(), "blocks")},
		{"export-history", filepath.Join(t.TempDir(), "era"), "0", "10"},
		{"init", apptest.PrivateGenesis(t)},
		{"db", "inspect"},
		{"db", "compact"},
		{"prune-history", "--yes", "--history.chain", fmt.Sprintf("5:%v", blocks[4].Hash())},
		{"snapshot", "create", filepath.Join(t.TempDir(), "snapshot")},
	}
	for _, kind := range adopttest.Kinds(5, 10) {
		for _, name := range []string{adopt.Instance, program.Name} {
			t.Run(kind.String()+" "+name, func(t *testing.T) {
				data := t.TempDir()
				adopttest.Write(t, data, genesis, blocks, kind)
				if name != adopt.Instance {
					if err := os.Rename(filepath.Join(data, adopt.Instance), filepath.Join(data, name)); err != nil {
						t.Fatal(err)
					}
				}
				before := hashOf(t, data)
				for _, call := range calls {
					args := append([]string{call[0], "--datadir", data}, call[1:]...)
					if call[0] == "db" || call[0] == "snapshot" {
						args = append([]string{call[0], call[1], "--datadir", data}, call[2:]...)
					}
					if strings.HasPrefix(call[0], "-") {
						args = append([]string{"--datadir", data}, call...)
					}
					_, err := run(t, args...)
					if err == nil || !strings.Contains(err.Error(), "gwon adopt "+data) {
						t.Errorf("%s: %v", strings.Join(call, " "), err)
					}
					if hashOf(t, data) != before {
						t.Fatalf("%s has changed the directory", strings.Join(call, " "))
					}
				}
			})
		}
	}
}
