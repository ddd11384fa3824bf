// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"gwon/dev/devnet"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/wellknown"
)

// startDev starts the first node of a cluster as a developer chain, with further options.
func startDev(t testing.TB, c *cluster, options ...string) {
	t.Helper()
	supervisor := devnet.NewSupervisor(programPath("gwon-dev"), nil, false, false)
	t.Cleanup(supervisor.Close)
	args := append([]string{
		"node", "--exit.stdin", "--ipcdisable", "--http", "--http.port", fmt.Sprint(c.node(0).HTTPPort),
	}, options...)
	p := must.Get(supervisor.StartWith(c.node(0), args))(t)
	c.processes[c.node(0)] = p
	t.Cleanup(func() { _ = p.Stop() }) // before its supervisor ends
}

// TestDevStateSurvivesKills kills a developer chain again and again. What it has answered for is there afterwards:
// blocks, receipts and changed accounts.
func TestDevStateSurvivesKills(t *testing.T) {
	t.Parallel()
	c := prepareCluster(t, 1)
	list := must.Get(wellknown.Accounts(wellknown.Mnemonic, 2))(t)
	state := filepath.Join(c.network.Dir, "dev state")
	stranger := common.HexToAddress("0x00000000000000000000000000000000000000aa")
	var hashes []common.Hash
	var instance string
	const kills, mined = 5, 40 // of which the first have no seals of their own
	for round := range uint64(kills) {
		startDev(t, c, "--state", state)
		c.awaitHead(t, 0, 0)
		if head, err := c.head(0); err != nil || head != (2+mined)*round {
			t.Fatalf("round %d: head %d, error %v, want %d", round, head, err, (2+mined)*round)
		}
		var described struct{ InstanceID string }
		c.must(t, 0, &described, "hardhat_metadata")
		expect.That(t, round == 0 || described.InstanceID == instance,
			"round %d: instance %s, was %s", round, described.InstanceID, instance)
		instance = described.InstanceID
		for i, hash := range hashes {
			expect.Equal(t, c.receipt(t, 0, hash).Status, 1, "round %d: transaction %d failed", round, i)
		}
		if round > 0 {
			balance := get[string](t, c, 0, "eth_getBalance", stranger, "latest")
			expect.Equal(t, balance, fmt.Sprintf("0x%x", 100+round-1), "round %d: balance", round)
		}
		for range 2 {
			hash := get[common.Hash](t, c, 0, "eth_sendTransaction",
				map[string]any{"from": list[0].Address, "to": list[1].Address, "value": "0x1"})
			hashes = append(hashes, hash)
		}
		ok := get[bool](t, c, 0, "hardhat_mine", mined)
		c.must(t, 0, &ok, "evm_setBalance", stranger, 100+round)
		c.kill(t, 0)
	}

	damageState(t, state)
}

// damageState damages one file of a developer chain after the other. The node has to name the directory in one
// sentence, and to delete nothing.
func damageState(t *testing.T, state string) {
	newest := func(pattern string) string {
		files, err := filepath.Glob(filepath.Join(state, "gwon", "chaindata", pattern))
		must.That(t, err == nil && len(files) != 0, "%s: files %v, error %v", pattern, files, err)
		return files[len(files)-1]
	}
	for name, file := range map[string]string{
		"settings":     filepath.Join(state, "dev.json"),
		"database":     newest("MANIFEST-*"),
		"table":        newest("*.sst"),
		"peers":        filepath.Join(state, "gwon", "nodes", "CURRENT"),
		"missing":      filepath.Join(state, "gwon", "chaindata"),
		"missing file": newest("marker.manifest.*"),
	} {
		t.Run(name, func(t *testing.T) {
			damaged := filepath.Join(t.TempDir(), "state")
			err := os.CopyFS(damaged, os.DirFS(state))
			must.Do(t, err)
			file = damaged + strings.TrimPrefix(file, state)
			if strings.HasPrefix(name, "missing") {
				err = os.Rename(file, file+".away")
			} else {
				err = os.WriteFile(file, []byte(strings.Repeat("damage", 10)), 0o600)
			}
			must.Do(t, err)
			before := listing(t, damaged)
			_, stderr, err := gwonDev(t, t.TempDir(), "node", "--http.port", "0", "--verbosity", "1", "--state", damaged)
			last := stderr[strings.LastIndex(strings.TrimSpace(stderr), "\n")+1:]
			expect.That(t, err != nil && strings.Contains(last, damaged) && strings.Contains(last, "nothing in it was") &&
				!strings.Contains(stderr, "goroutine"), "error %v, %q", err, stderr)
			after := listing(t, damaged)
			if name == "peers" {
				// The key-value store was opened before, and has begun another log.
				if content, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(content), "damage") {
					t.Errorf("the damaged file is now %q, error %v", content, err)
				}
			} else if after != before {
				t.Errorf("files before:\n%s\nafter:\n%s", before, after)
			}
		})
	}
}

// listing names the files below a directory.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var names strings.Builder
	must.Do(t, filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		fmt.Fprintln(&names, path)
		return err
	}))
	return names.String()
}
