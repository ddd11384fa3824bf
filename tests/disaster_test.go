// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes && unix

package tests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/operator/adopt"
	"gwon/operator/adopt/adopttest"
)

// runPage runs the commands of a page in their order, with a directory for each variable, and returns what they
// print.
func runPage(t *testing.T, page, home string, variables map[string]string) string {
	t.Helper()
	needTools(t, "sh", "install", "mv")
	script := "set -eu\n" + commandsOf(t, readPage(t, page))
	cmd := exec.Command("timeout", "60", "sh", "-c", script)
	cmd.Dir = home
	cmd.Env = append(environment(home), "PATH="+filepath.Dir(binary)+":"+os.Getenv("PATH"))
	for name, value := range variables {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	output, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v:\n%s\nof\n%s", err, output, script)
	}
	return string(output)
}

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
		if err := os.CopyFS(data, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		if out, status := runGwon(t, "backup", "--datadir", data, data+"-backup.json"); status != 0 {
			t.Fatal(out)
		}
		before := contents(t, data, []string{"gwon/nodekey", "keystore"})
		votes := contents(t, data, []string{"gwon/votes.log"})
		out := runPage(t, "docs/operate/disaster.md", home, map[string]string{"DATA": data})
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
		key, err := crypto.LoadECDSA(nodekey)
		if err != nil {
			t.Fatal(err)
		}
		address := crypto.PubkeyToAddress(key.PublicKey).Hex()
		out := runPage(t, "docs/operate/moving.md", home, map[string]string{"DATA": data, "OLD": old})
		if back, err := crypto.LoadECDSA(nodekey); err != nil || !back.Equal(key) {
			t.Errorf("the key is not back: %v", err)
		}
		if !strings.Contains(out, address) {
			t.Errorf("%s is not shown:\n%s", address, out)
		}
	})
}
