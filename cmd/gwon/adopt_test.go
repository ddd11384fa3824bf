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

	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/apptest"
	"gwon/cmd/internal/blockchain"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/internal/expect"
	"gwon/internal/must"
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
	must.Do(t, err)
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
	for i, kind := range adopttest.Kinds(5, 10) {
		for k, name := range []string{adopt.Instance, program.Name} {
			if testing.Short() && (i+k)%3 > 0 {
				continue
			}
			t.Run(kind.String()+" "+name, func(t *testing.T) {
				data := t.TempDir()
				adopttest.Write(t, data, genesis, blocks, kind)
				if name != adopt.Instance {
					must.Do(t, os.Rename(filepath.Join(data, adopt.Instance), filepath.Join(data, name)))
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
					if err == nil || !strings.Contains(err.Error(), "gwon adopt --datadir ") ||
						!strings.Contains(err.Error(), " "+data) {
						t.Errorf("%s: %v", strings.Join(call, " "), err)
					}
					must.Equal(t, hashOf(t, data), before, "%s has changed the directory", strings.Join(call, " "))
				}
			})
		}
	}
}

// A start after a take-over that was cut short begins no other chain.
func TestStartAfterCutShortAdopt(t *testing.T) {
	data := t.TempDir()
	must.Do(t, os.Mkdir(filepath.Join(data, program.Name+".adopting"), 0o700))
	_, err := run(t, "--datadir", data, "--nodiscover", "--port", "0", "--ipcdisable")
	expect.Says(t, err, "was cut short", "refusal")
}

// A start with --adopt takes over once: with --mine the key, too, unless another one is named. It ends a call that was
// cut short before the key was in one place.
func TestAdoptAtStart(t *testing.T) {
	genesis, blocks := adopttest.Chain(t, 20)
	for _, row := range []struct {
		name  string
		flags []string
		env   bool
		taken bool
		moved bool
	}{
		{name: "without the flag"},
		{name: "flag", flags: []string{"--adopt"}, taken: true},
		{name: "environment", env: true, taken: true},
		{name: "validator", flags: []string{"--adopt", "--mine"}, taken: true, moved: true},
		{name: "validator with a key elsewhere", flags: []string{"--adopt", "--mine", "--nodekey", "FILE"}, taken: true},
	} {
		t.Run(row.name, func(t *testing.T) {
			if row.env {
				t.Setenv("GWON_ADOPT", "1")
			}
			data := t.TempDir()
			adopttest.Write(t, data, genesis, blocks, adopttest.Options{
				Engine: rawdb.DBLeveldb, Scheme: rawdb.HashScheme, Frozen: 5, State: 20,
			})
			theirs, ours := filepath.Join(data, adopt.Instance, "nodekey"), filepath.Join(data, program.Name, "nodekey")
			key := must.Get(os.ReadFile(theirs))(t)
			begin := func(flags ...string) error {
				return withFlags(t, func(ctx *cli.Context) error {
					cfg, _, err := settings.Load(ctx)
					if err != nil {
						return err
					}
					return blockchain.AdoptAtStart(ctx, cfg)
				}, append(flags, "--datadir", data)...)
			}
			for start := range 3 {
				if start == 2 && row.moved { // as a crash between two steps leaves it
					must.Do(t, os.WriteFile(theirs, key, 0o600))
					expect.Says(t, begin("--mine", "--adopt=false"), "two running nodes",
						"a validator starts while its key is in both directories")
				}
				must.Do(t, begin(row.flags...))
				_, err := os.Stat(filepath.Join(data, program.Name, "chaindata"))
				expect.That(t, (err == nil) == row.taken, "start %d: gwon's chain: %v", start, err)
				_, old := os.Stat(theirs)
				_, taken := os.Stat(ours)
				expect.That(t, (taken == nil) == row.moved && (old == nil) != row.moved,
					"start %d: key here %v, there %v", start, taken, old)
			}
		})
	}
}
