// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// waits asks a node whether it waits because votes of its key are lost.
func (c *cluster) waits(t *testing.T, i int) bool {
	t.Helper()
	var status struct{ Waiting string }
	c.must(t, i, &status, "istanbul_consensusStatus")
	return status.Waiting != ""
}

// A validator whose vote log is gone waits, and goes on at once when what it has signed is imported; a second process
// with its key is refused, whatever its data directory (spec wbft 9.1 no. 3).
func TestVotesOfAMovedValidator(t *testing.T) {
	t.Parallel()
	c := startCluster(t, 4)
	const moved = 3
	c.awaitHead(t, 5, 0, 1, 2, moved)
	expect.That(t, !c.waits(t, moved), "a validator of a new network waits")

	// The key in another data directory.
	copied := *c.node(moved)
	copied.Dir = filepath.Join(t.TempDir(), "copied")
	key := must.Get(os.ReadFile(filepath.Join(c.node(moved).Dir, "gwon", "nodekey")))(t)
	must.Do(t, os.MkdirAll(filepath.Join(copied.Dir, "gwon"), 0o700))
	must.Do(t, os.WriteFile(filepath.Join(copied.Dir, "gwon", "nodekey"), key, 0o600))
	out, err := runGwon(t, "init", "--datadir", copied.Dir, filepath.Join(c.network.Dir, "genesis.json"))
	must.That(t, err == nil, "init: %s", out)
	out, err = runGwon(t, "--datadir", copied.Dir, "--mine", "--port", "0", "--nodiscover", "--bootnodes", "")
	expect.That(t, err != nil && strings.Contains(out, "in use by another process") &&
		strings.Contains(out, c.node(moved).Address.Hex()), "a second process with the key: %v: %s", err, out)

	c.stop(t, moved)
	file := filepath.Join(t.TempDir(), "votes.json")
	out, err = runGwon(t, "validator", "votes", "export", "--datadir", c.node(moved).Dir, file)
	must.That(t, err == nil, "export: %s", out)
	must.Do(t, os.Remove(filepath.Join(c.node(moved).Dir, "gwon", "votes.log")))
	c.start(t, moved)
	c.await(t, "a validator without its votes that waits", func() (bool, string) {
		var status json.RawMessage
		err := c.call(moved, &status, "istanbul_consensusStatus")
		return err == nil && strings.Contains(string(status), `"waiting"`), string(status)
	})
	c.stop(t, moved)
	must.Do(t, os.Remove(filepath.Join(c.node(moved).Dir, "gwon", "votes.log")))
	out, err = runGwon(t, "validator", "votes", "import", "--datadir", c.node(moved).Dir, file)
	must.That(t, err == nil, "import: %s", out)
	c.start(t, moved)
	c.awaitHead(t, 6, moved)
	expect.That(t, !c.waits(t, moved), "it waits although its votes were imported")
	expect.Slice(t, c.running(), []int{0, 1, 2, moved}, "run")
	for i := range c.network.Nodes {
		c.accuse(t, i) // none
	}
}
