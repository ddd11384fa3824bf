// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package devnet

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/p2p/enode"

	"gwon/core"
)

func options(dir string) Options {
	return Options{Dir: dir, Validators: 3, Accounts: 2, ChainID: 8283, Period: time.Second}
}

func prepare(t *testing.T, o Options) *Network {
	t.Helper()
	n, err := Prepare(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	})
	return n
}

// The genesis file is one the node takes: validators with their BLS keys in order, funds for every account.
func TestGenesisFile(t *testing.T) {
	n := prepare(t, options(t.TempDir()))
	file, err := os.Open(n.path(genesisFile))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	given, err := core.ReadGenesis(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := core.CheckAllocation(given); err != nil {
		t.Fatal(err)
	}
	genesis, _, err := core.BuildGenesis(given, nil)
	if err != nil {
		t.Fatal(err)
	}
	init := genesis.Config.Anzeon.Init
	for i, node := range n.Nodes {
		if init.Validators[i] != node.Address || string(init.BLSPublicKeys[i]) != string(node.blsKey) {
			t.Errorf("validator %d is %v with key %v, want %v with %x", i, init.Validators[i], init.BLSPublicKeys[i], node.Address, node.blsKey)
		}
	}
	for _, a := range n.Accounts {
		if genesis.Alloc[a.Address].Balance.Sign() <= 0 {
			t.Errorf("account %v has no funds", a.Address)
		}
	}
	if got := genesis.Config.ChainID.Uint64(); got != 8283 {
		t.Errorf("chain id %d, want 8283", got)
	}
}

// A second run finds the same keys, accounts and genesis block, and may choose other ports.
func TestPrepareTwice(t *testing.T) {
	dir := t.TempDir()
	first, err := Prepare(options(dir))
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(first.path(genesisFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second := prepare(t, options(dir))
	after, err := os.ReadFile(second.path(genesisFile))
	if err != nil {
		t.Fatal(err)
	}
	if string(before) != string(after) {
		t.Error("the second run wrote another genesis file")
	}
	for i := range first.Nodes {
		if first.Nodes[i].Address != second.Nodes[i].Address {
			t.Errorf("%s had address %v, now %v", first.Nodes[i].Name, first.Nodes[i].Address, second.Nodes[i].Address)
		}
	}
}

// Every port is another one, and every node's configuration names every other node.
func TestPeersAndPorts(t *testing.T) {
	n := prepare(t, options(t.TempDir()))
	used := make(map[int]string)
	for _, node := range n.Nodes {
		for _, port := range []int{node.P2PPort, node.HTTPPort, node.WSPort} {
			if port == 0 || used[port] != "" {
				t.Errorf("port %d of %s is also one of %s", port, node.Name, used[port])
			}
			used[port] = node.Name
		}
		if _, err := enode.ParseV4(node.Enode()); err != nil {
			t.Errorf("%s: %v", node.Enode(), err)
		}
		text, err := os.ReadFile(node.configFile())
		if err != nil {
			t.Fatal(err)
		}
		for _, peer := range n.Nodes {
			if strings.Contains(string(text), peer.Enode()) == (peer == node) {
				t.Errorf("configuration of %s, peer %s:\n%s", node.Name, peer.Name, text)
			}
		}
	}
}

// The accounts are the same everywhere and for ever: people write them into scripts.
func TestAccounts(t *testing.T) {
	for i, want := range []string{"0x026dC232BFf079a062252Fe251e774CeF35BE606"} {
		a, err := NewAccount(i)
		if err != nil {
			t.Fatal(err)
		}
		if a.Address != common.HexToAddress(want) {
			t.Errorf("account %d is %v, want %s", i, a.Address, want)
		}
	}
}

func TestPrepareErrors(t *testing.T) {
	foreign := t.TempDir()
	if err := os.WriteFile(filepath.Join(foreign, "letter.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	used := t.TempDir()
	prepare(t, options(used))
	other := t.TempDir()
	n, err := Prepare(options(other))
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	broken := t.TempDir()
	if err := os.WriteFile(filepath.Join(broken, markerFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	taken := listener.Addr().(*net.TCPAddr).Port

	for _, test := range []struct {
		name   string
		change func(*Options)
		want   string
	}{
		{"no validator", func(o *Options) { o.Validators = 0 }, "not 0"},
		{"too many validators", func(o *Options) { o.Validators = maxValidators + 1 }, "1 to 32 validators"},
		{"no account", func(o *Options) { o.Accounts = 0 }, "funded accounts"},
		{"chain id 0", func(o *Options) { o.ChainID = 0 }, "chain ID"},
		{"half a second", func(o *Options) { o.Period = 1500 * time.Millisecond }, "whole number of seconds"},
		{"ports beyond the last", func(o *Options) { o.HTTPPort = 65535 }, "do not exist"},
		{"port in use", func(o *Options) { o.HTTPPort = taken }, fmt.Sprintf("port %d is in use", taken)},
		{"foreign directory", func(o *Options) { o.Dir = foreign }, "letter.txt"},
		{"running network", func(o *Options) { o.Dir = used }, "another gwon devnet runs"},
		{"other settings", func(o *Options) { o.Dir, o.ChainID = other, 1 }, "--reset"},
		{"broken marker", func(o *Options) { o.Dir = broken }, markerFile},
		{"file in the way", func(o *Options) { o.Dir = filepath.Join(foreign, "letter.txt") }, "letter.txt"},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := options(t.TempDir())
			test.change(&o)
			n, err := Prepare(o)
			if err == nil {
				err = errors.Join(errors.New("no error"), n.Close())
			}
			if !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q, want one line with %q", err, test.want)
			}
		})
	}
}

func TestUnwritableDirectory(t *testing.T) {
	if os.Getuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("everything is writable here")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	if _, err := Prepare(options(filepath.Join(dir, "net"))); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("error %v, want one that names %s", err, dir)
	}
}

// Reset makes a new chain, and deletes nothing that is not the network's.
func TestReset(t *testing.T) {
	o := options(t.TempDir())
	n, err := Prepare(o)
	if err != nil {
		t.Fatal(err)
	}
	was := n.Nodes[0].Address
	kept := filepath.Join(o.Dir, "notes.txt")
	if err := errors.Join(n.Close(), os.WriteFile(kept, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	o.Reset, o.Validators = true, 1
	n = prepare(t, o)
	if n.Nodes[0].Address == was {
		t.Error("the old key is still there")
	}
	if _, err := os.Stat(kept); err != nil {
		t.Errorf("a file of the user is gone: %v", err)
	}
	if _, err := os.Stat(filepath.Join(o.Dir, "node3")); err == nil {
		t.Error("a node of the old network is left")
	}
	text, err := os.ReadFile(n.path(markerFile))
	if err != nil {
		t.Fatal(err)
	}
	var s settings
	if err := json.Unmarshal(text, &s); err != nil || s != o.settings() {
		t.Errorf("settings %+v, error %v, want %+v", s, err, o.settings())
	}
}
