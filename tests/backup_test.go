// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A validator that is restored from an earlier backup, since its disk is gone, waits first and
// seals again afterwards. It contradicts nothing.
// spec: wbft 9.1
func TestRestoredValidator(t *testing.T) {
	t.Parallel()
	c := startCluster(t, 4)
	const lost = 3
	c.awaitHead(t, 4, 0, 1, 2, lost)
	dir, work := c.node(lost).Dir, t.TempDir()
	file := filepath.Join(work, "backup.json")
	if out, status := runGwon(t, "backup", "--datadir", dir, file); status != 0 {
		t.Fatalf("backup of a node that runs: %s", out)
	}
	if out, status := runGwon(t, "restore", "--datadir", filepath.Join(work, "second"), file); status == 0 ||
		!strings.Contains(out, "in use by another process") {
		t.Errorf("a restore beside the node that runs: status %d: %s", status, out)
	}
	c.awaitHead(t, 10, lost)
	c.kill(t, lost)
	if err := os.RemoveAll(filepath.Join(dir, "gwon")); err != nil {
		t.Fatal(err)
	}
	out, status := runGwon(t, "restore", "--datadir", dir, file)
	if status != 0 || !strings.Contains(out, "waits from now on") {
		t.Fatalf("restore: status %d: %s", status, out)
	}
	if out, status := runGwon(t, "init", "--datadir", dir, filepath.Join(c.network.Dir, "genesis.json")); status != 0 {
		t.Fatalf("init: %s", out)
	}
	down, err := c.head(0)
	if err != nil {
		t.Fatal(err)
	}
	c.start(t, lost)
	c.await(t, "a restored validator that waits", func() (bool, string) {
		var status struct{ Waiting string }
		err := c.call(lost, &status, "istanbul_consensusStatus")
		return err == nil && status.Waiting != "", status.Waiting
	})
	var resumed uint64
	c.await(t, "a block that the restored validator proposed", func() (bool, string) {
		head, err := c.head(0)
		for n := max(down, resumed) + 1; err == nil && n <= head; n++ {
			if resumed = n; c.block(t, 0, n).Miner == c.node(lost).Address {
				return true, ""
			}
		}
		return false, ""
	})
	if c.waits(t, lost) {
		t.Error("a validator that proposes says that it waits")
	}
	c.sameChain(t, resumed-1)
	for i := range c.network.Nodes {
		c.accuse(t, i) // nobody
	}
}
