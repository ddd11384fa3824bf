// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gwon/dev/devnet"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// A network that gwon network new has made runs from its files, by a validator whose key is encrypted. Without the
// password the node does not start.
// spec: network 10
func TestNewNetwork(t *testing.T) {
	t.Parallel()
	dir := workDir(t)
	data, files, list := filepath.Join(dir, "data"), filepath.Join(dir, "net"), filepath.Join(dir, "validators.json")
	password := filepath.Join(dir, "password")
	must.Do(t, os.WriteFile(password, []byte("fine weather\n"), 0o600))
	printed, err := runGwon(t, "validator", "new", "--encrypt", "--json", "--datadir", data,
		"--nodekey.password", password)
	must.That(t, err == nil, "validator new: %s", printed)
	endpoint := fmt.Sprintf("127.0.0.1:%d", freePort(t))
	validator := strings.Replace(printed, "{", `{"endpoint": "`+endpoint+`",`, 1)
	must.Do(t, os.WriteFile(list, []byte(validator), 0o600))
	for _, args := range [][]string{
		{"network", "new", "--validators", list, "--chainid", "828301", "--fund",
			"0x00000000000000000000000000000000000000aa=1000", files},
		{"init", "--datadir", data, filepath.Join(files, "validator1", "genesis.json")},
	} {
		if out, err := runGwon(t, args...); err != nil {
			t.Fatalf("gwon %s: %s", strings.Join(args, " "), out)
		}
	}
	expect.Refused(t, expect.Err(os.Stat(filepath.Join(data, "gwon", "nodekey"))), "gwon init made a second node key")
	founder := *oneNode(t).node(0)
	founder.Name, founder.Dir, founder.HTTPPort = "founder", data, freePort(t)
	node := &founder
	args := []string{"--config", filepath.Join(files, "validator1", "config.toml"), "--datadir", data, "--nat", "none",
		"--netrestrict", "127.0.0.0/8", "--ipcdisable", "--exit.stdin", "--http", "--http.port", strconv.Itoa(node.HTTPPort)}
	if out, err := runGwon(t, args...); err == nil || !strings.Contains(out, "give --nodekey.password") {
		t.Errorf("a start without password: %v: %s", err, out)
	}
	c := &cluster{&devnet.Network{Nodes: []*devnet.Node{node}}, devnet.NewSupervisor(binary, nil, false, false),
		make(map[*devnet.Node]*devnet.Process)}
	p := must.Get(c.supervisor.StartWith(node, append(args, "--nodekey.password", password)))(t)
	c.processes[node] = p
	t.Cleanup(func() {
		expect.Error(t, p.Stop(), nil, "p.Stop")
		c.supervisor.Close()
	})
	c.awaitHead(t, 3, 0)
}
