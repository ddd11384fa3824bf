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
)

// runScript runs commands with a directory or an endpoint for each variable, and returns what they print.
func runScript(t *testing.T, script, home string, variables map[string]string) string {
	t.Helper()
	cmd := exec.Command("timeout", "60", "sh", "-c", "set -eu\n"+script)
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
	if err := os.CopyFS(data, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if out, status := runGwon(t, "backup", "--datadir", data, data+"-backup.json"); status != 0 {
		t.Fatal(out)
	}
	before := contents(t, data, []string{"gwon/nodekey", "keystore"})
	votes := contents(t, data, []string{"gwon/votes.log"})
	needTools(t, "sh", "install", "mv")
	out := runScript(t, commandsOf(t, readPage(t, "docs/operate/disaster.md")), home, map[string]string{"DATA": data})
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
}
