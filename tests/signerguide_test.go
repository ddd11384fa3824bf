// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

//go:build nodes && unix

package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"gwon/internal/must"
)

// serviceCommand returns what systemd starts for the package of the signer, as the user of this test.
func serviceCommand(t *testing.T) string {
	t.Helper()
	start := regexp.MustCompile(`(?m)^ExecStart=/usr/bin/(.* )--peer gwon$`).FindStringSubmatch(
		readPage(t, "contrib/package/gwon-signer.service"))
	if start == nil {
		t.Fatal("the unit has no command for the user gwon")
	}
	return start[1] + fmt.Sprintf("--peer %d", os.Getuid())
}

// The commands of docs/operate/signer.md work in their order: two validators of four, without which there is no block,
// sign by a signer on the same machine and by one on another. Users and services are replaced, the signer's service by
// the command of its unit.
func TestSignerGuide(t *testing.T) {
	t.Parallel()
	c := startCluster(t, 4)
	const local, remote = 2, 3
	c.awaitHead(t, 4, 0, 1, local, remote)
	c.stop(t, local)
	c.stop(t, remote)
	before := must.Get(c.head(0))(t)
	dir := workDir(t)
	preamble := "adduser() { :; }\nchown() { :; }\nsystemctl() {\n\tcase \"$1\" in\n\tstop) ;;\n\tenable) " +
		serviceCommand(t) + " & SIGNER=$! ;;\n\tesac\n}\n"
	state, runtime := filepath.Join(dir, "state"), filepath.Join(dir, "run")
	for _, d := range []string{state, runtime} {
		must.Do(t, os.Mkdir(d, 0o700))
	}
	node := func(i int) string { // as the devnet starts it, but for the end with its parent
		command := "gwon "
		for _, arg := range c.node(i).Args() {
			if arg != "--exit.stdin" {
				command += "'" + arg + "' "
			}
		}
		return command
	}
	address := fmt.Sprintf("127.0.0.1:%d", freePort(t))
	runPage(t, dir, "docs/operate/signer.md", preamble, []string{"NODE", "SIGNER", "OTHER", "REMOTE"},
		"gwon $NETWORK --datadir /var/lib/gwon ", node(local),
		"gwon $NETWORK --datadir DATA ", node(remote),
		"/var/lib/gwon-signer", state, "/run/gwon-signer", runtime, "/var/lib/gwon", c.node(local).Dir,
		"DATA", c.node(remote).Dir, "DIR", filepath.Join(dir, "remote"), "192.0.2.7:30400", address)

	head := must.Get(c.head(0))(t)
	var status struct {
		SealerActivity struct {
			Total map[common.Address]uint64 `json:"total"`
		} `json:"sealerActivity"`
	}
	c.must(t, 0, &status, "istanbul_status", hexutil.Uint64(before+1), hexutil.Uint64(head))
	for _, i := range []int{local, remote} {
		if status.SealerActivity.Total[c.node(i).Address] == 0 {
			t.Errorf("%s has sealed none of the blocks %d to %d", c.node(i).Name, before+1, head)
		}
		if _, err := os.Stat(filepath.Join(c.node(i).Dir, "gwon", "nodekey")); !os.IsNotExist(err) {
			t.Errorf("the key of %s is still in its data directory: %v", c.node(i).Name, err)
		}
	}
}
