// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package blockchain

import (
	"strings"
	"testing"

	"gwon/cmd/internal/apptest"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/params"
)

// Arguments that name no snapshot, no network or no hash are refused before anything is touched.
func TestSnapshotArguments(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"create nowhere", []string{"create"}, "name one new directory"},
		{"create without chain", []string{"create", "x"}, "there is no chain in"},
		{"fetch nothing", []string{"fetch", "--testnet"}, "name one URL or directory"},
		{"no network", []string{"fetch", "x"}, "name the network of the snapshot"},
		{"two networks", []string{"fetch", "--testnet", "--genesis", "g", "x"}, "name the network of the snapshot"},
		{"bad checkpoint", []string{"fetch", "--testnet", "--checkpoint", "0x1", "x"}, "--checkpoint wants a block hash"},
		{"bad manifest", []string{"verify", "--testnet", "--manifest", "12", "x"}, "--manifest: a SHA-256 has 64"},
		{"other protocol", []string{"verify", "--testnet", "ftp://x/y"}, "is no URL of an HTTP server"},
		{"no such directory", []string{"verify", "--testnet", "/nowhere"}, "there is no manifest.json at /nowhere"},
		{"no genesis file", []string{"verify", "--genesis", "/nowhere", "x"}, "open genesis file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := append([]string{"snapshot", c.args[0], "--datadir", t.TempDir()}, c.args[1:]...)
			expect.Says(t, expect.Err(run(t, args...)), c.want, "refusal")
		})
	}
}

// A command of a public network does not touch the chain of another one.
func TestCommandOfAnotherNetwork(t *testing.T) {
	data := t.TempDir()
	must.Get(run(t, "init", "--datadir", data, apptest.PrivateGenesis(t)))(t)
	for _, network := range params.Networks() {
		t.Run(network.Name, func(t *testing.T) {
			_, err := run(t, "db", "compact", "--datadir", data, "--"+network.Name)
			expect.That(t, err != nil && strings.Contains(err.Error(), network.GenesisHash.Hex()) &&
				strings.Contains(err.Error(), "leave --"+network.Name+" out"), "error %v", err)
		})
	}
}

// The help of a command names the default that holds.
func TestSnapshotHelp(t *testing.T) {
	help, err := run(t, "snapshot", "fetch", "--help")
	help = strings.Join(strings.Fields(help), " ")
	expect.That(t, err == nil && strings.Contains(help, "(default: 512, or twice what --cache leaves for recent state)") &&
		!strings.Contains(help, "default = 512"), "error %v:\n%s", err, help)
}
