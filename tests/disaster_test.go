// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes && unix

package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/internal/must"
	"gwon/operator/adopt"
	"gwon/operator/adopt/adopttest"
)

// The commands of two pages work in their order: what to do when something of a validator is gone, and how a
// validator of go-stablenet moves to gwon and back. Keys stay what they were.
func TestDisasterPages(t *testing.T) {
	t.Parallel()
	c := startCluster(t, 1)
	c.awaitHead(t, 3, 0)
	c.stop(t, 0)
	dir, home := c.node(0).Dir, t.TempDir()
	address := c.node(0).Address.Hex()

	t.Run("disaster", func(t *testing.T) {
		data := filepath.Join(home, "data")
		must.Do(t, os.CopyFS(data, os.DirFS(dir)))
		if out, status := runGwon(t, "backup", "--datadir", data, data+"-backup.json"); status != 0 {
			t.Fatal(out)
		}
		before := contents(t, data, []string{"gwon/nodekey", "keystore"})
		votes := contents(t, data, []string{"gwon/votes.log"})
		out := runCommands(t, home, commandsOf(t, readPage(t, "docs/operate/disaster.md")), nil, "DATA="+data)
		possession := regexp.MustCompile("proofOfPossession|Proof of possession")
		if !strings.Contains(out, address) || !possession.MatchString(out) {
			t.Errorf("the restored key is not shown:\n%s", out)
		}
		if contents(t, data, []string{"gwon/nodekey", "keystore"}) != before {
			t.Error("keys have changed")
		}
		moved, err := os.ReadFile(data + "-votes.damaged")
		if err != nil || !strings.Contains(votes, fmt.Sprintf("%x", moved)) {
			t.Errorf("the vote log is not what it was, error %v", err)
		}
		if _, err := os.Stat(filepath.Join(data, "gwon", "chaindata")); !os.IsNotExist(err) {
			t.Errorf("the chain is still there, error %v", err)
		}
		if out, status := runGwon(t, "init", "--datadir", data, filepath.Join(c.network.Dir, "genesis.json")); status != 0 {
			t.Errorf("the chain cannot be made again: %s", out)
		}
	})
	t.Run("moving", func(t *testing.T) {
		old, data := filepath.Join(home, "old"), filepath.Join(home, "moved")
		genesis, blocks := adopttest.Chain(t, 20)
		adopttest.Write(t, old, genesis, blocks, adopttest.Options{
			Engine: rawdb.DBPebble, Scheme: rawdb.PathScheme, Frozen: 5, State: 20,
		})
		nodekey := filepath.Join(old, adopt.Instance, "nodekey")
		key := must.Get(crypto.LoadECDSA(nodekey))(t)
		address := crypto.PubkeyToAddress(key.PublicKey).Hex()
		out := runCommands(t, home, commandsOf(t, readPage(t, "docs/operate/moving.md")), nil, "DATA="+data, "OLD="+old)
		if back, err := crypto.LoadECDSA(nodekey); err != nil || !back.Equal(key) {
			t.Errorf("the key is not back: %v", err)
		}
		if !strings.Contains(out, address) {
			t.Errorf("%s is not shown:\n%s", address, out)
		}
	})
}
