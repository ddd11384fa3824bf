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

	"gwon/internal/must"
)

// The commands of the page on what to do when something of a validator is gone work in their order. Keys stay what they
// were.
func TestDisasterPage(t *testing.T) {
	t.Parallel()
	c := startCluster(t, 1)
	c.awaitHead(t, 3, 0)
	c.stop(t, 0)
	dir, home := c.node(0).Dir, t.TempDir()
	address := c.node(0).Address.Hex()

	data := filepath.Join(home, "data")
	must.Do(t, os.CopyFS(data, os.DirFS(dir)))
	if out, err := runGwon(t, "backup", "--datadir", data, data+"-backup.json"); err != nil {
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
	if out, err := runGwon(t, "init", "--datadir", data, filepath.Join(c.network.Dir, "genesis.json")); err != nil {
		t.Errorf("the chain cannot be made again: %s", out)
	}
}
