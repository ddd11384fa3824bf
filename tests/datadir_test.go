// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/ethdb/pebble"

	"gwon/internal/must"
)

// A database of a newer program and the chain of another network are refused with the reason, by every
// command that would write, and stay as they are.
func TestForeignDataDirectory(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	file, text := genesisOf(t, home)
	initialize := func(name string) string {
		t.Helper()
		data := filepath.Join(home, name)
		if _, stderr, err := gwon(t, home, "--datadir", data, "init", file); err != nil {
			t.Fatalf("init: %v: %s", err, stderr)
		}
		return data
	}
	newer := initialize("newer")
	db := must.Get(pebble.New(filepath.Join(newer, "gwon", "chaindata"), 16, 16, "", false))(t)
	rawdb.WriteDatabaseVersion(db, gethcore.BlockChainVersion+1)
	must.Do(t, db.Close())
	ours := initialize("ours")
	other := filepath.Join(home, "other.json")
	must.Do(t, os.WriteFile(other, []byte(strings.Replace(text, `"gasLimit": "0x`, `"gasLimit": "0x1`, 1)), 0o600))
	blocks := filepath.Join(home, "blocks.rlp")
	if _, stderr, err := gwon(t, home, "--datadir", ours, "export", blocks); err != nil {
		t.Fatalf("export: %v: %s", err, stderr)
	}
	start := []string{"--nodiscover", "--nat", "none", "--port", "0", "--bootnodes", "", "--ipcdisable"}
	for _, test := range []struct {
		name, data string
		args       []string
		want       string
	}{
		{"newer database", newer, start, "a newer gwon has written it"},
		{"newer database, validator", newer, append(start, "--mine"), "a newer gwon has written it"},
		{"newer database, import", newer, []string{"import", blocks}, "a newer gwon has written it"},
		{"newer database, init", newer, []string{"init", file}, "a newer gwon has written it"},
		{"testnet on a private chain", ours, append(start, "--testnet"), "has genesis block"},
		{"mainnet on a private chain", ours, append(start, "--mainnet"), "has genesis block"},
		{"other genesis file", ours, []string{"init", other}, "incompatible genesis"},
	} {
		t.Run(test.name, func(t *testing.T) {
			args := append([]string{"--verbosity", "1", "--datadir", test.data}, test.args...)
			_, stderr, err := gwon(t, home, args...)
			if err == nil || !strings.Contains(stderr, test.want) || strings.Contains(stderr, "panic") {
				t.Errorf("error %v, %q, want %q", err, stderr, test.want)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(newer, "gwon", "votes.log")); err == nil {
		t.Error("the refused validator opened its vote log")
	}
}
