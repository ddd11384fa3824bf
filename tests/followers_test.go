// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"gwon/dev/devnet"
	"gwon/internal/must"
)

// addFollowers gives the cluster n more nodes, with its genesis block and without a validator's key. None runs yet.
// It returns the index of the first.
func (c *cluster) addFollowers(t testing.TB, n int) (first int) {
	t.Helper()
	// A second network lends its nodes: their keys, ports and directories, not its genesis.
	first = len(c.network.Nodes)
	lender, err := devnet.Prepare(devnet.Options{
		Dir: filepath.Join(c.network.Dir, fmt.Sprintf("followers%d", first)), Validators: n, Accounts: 1, ChainID: chainID,
		Period: time.Second,
	})
	must.Do(t, err)
	t.Cleanup(func() {
		if err := lender.Close(); err != nil {
			t.Error(err)
		}
	})
	genesis := filepath.Join(c.network.Dir, "genesis.json")
	for i, node := range lender.Nodes {
		node.Name = fmt.Sprintf("follower%d", i+1)
		if _, stderr, err := gwon(t, t.TempDir(), "--datadir", node.Dir, "init", genesis); err != nil {
			t.Fatalf("init of %s: %v: %s", node.Name, err, stderr)
		}
	}
	c.network.Nodes = append(c.network.Nodes, lender.Nodes...)
	return first
}

// writePeers makes a node's configuration file name these peers and no others.
func writePeers(t testing.TB, node *devnet.Node, enodes []string) {
	t.Helper()
	var text strings.Builder
	fmt.Fprintf(&text, "[Node.P2P]\nListenAddr = \"127.0.0.1:%d\"\nNoDiscovery = true\nStaticNodes = [\n", node.P2PPort)
	for _, enode := range enodes {
		fmt.Fprintf(&text, "  %q,\n", enode)
	}
	text.WriteString("]\n")
	must.Do(t, os.WriteFile(filepath.Join(node.Dir, "config.toml"), []byte(text.String()), 0o644))
}

// follow starts node i as one that does not seal, with these nodes as its only peers. It waits for those that are
// starting: a peer that does not listen is dialed again after half a minute.
func (c *cluster) follow(t testing.TB, i int, peers []int, extra ...string) {
	t.Helper()
	node := c.node(i)
	var enodes []string
	for _, p := range peers {
		enodes = append(enodes, c.node(p).Enode())
		if c.processes[c.node(p)] != nil {
			c.awaitHead(t, 0, p)
		}
	}
	writePeers(t, node, enodes)
	p, err := c.supervisor.StartWith(node, append([]string{
		"--datadir", node.Dir, "--config", filepath.Join(node.Dir, "config.toml"), "--exit.stdin",
		"--nodiscover", "--nat", "none", "--bootnodes", "", "--netrestrict", "127.0.0.0/8", "--ipcdisable", "--cache", "64",
		"--http", "--http.addr", "127.0.0.1", "--http.port", fmt.Sprint(node.HTTPPort),
		"--http.api", "eth,net,web3,txpool,istanbul,debug,admin",
	}, extra...))
	must.Do(t, err)
	c.processes[node] = p
}

// atHead waits until node i has a block that node of had not sealed or imported when the call began.
func (c *cluster) atHead(t testing.TB, i, of int) {
	t.Helper()
	head := must.Get(c.head(of))(t)
	c.awaitHead(t, head+2, i)
}

// peers returns the names of the nodes that node i is connected to.
func (c *cluster) peers(t testing.TB, i int) (names []string) {
	t.Helper()
	var infos []struct {
		Enode string `json:"enode"`
	}
	c.must(t, i, &infos, "admin_peers")
	for _, info := range infos {
		for _, n := range c.network.Nodes {
			if key, _, _ := strings.Cut(n.Enode(), "@"); strings.HasPrefix(info.Enode, key) {
				names = append(names, n.Name)
			}
		}
	}
	return names
}

// Followers of several kinds join a network that has a history, get it, and stay at its head: whatever state they
// keep and any peers they have, also after a crash and with other peers than before. One with snap sync has no
// state of old blocks, and gives all it has to the next one, which trusts a checkpoint only. spec: network 4
func TestFollowers(t *testing.T) {
	t.Parallel()
	const past = 200 // blocks; beyond the 128 whose state every node keeps
	c := startAgedCluster(t, 4, past, 1, 0)
	c.awaitHead(t, past+2, c.running()...)
	first := c.addFollowers(t, 6)
	full, archive, behind, single, snap, second := first, first+1, first+2, first+3, first+4, first+5
	for _, row := range []struct {
		name  string
		node  int
		peers []int
		flags []string
	}{
		{"full", full, []int{0, 1, 2, 3}, nil},
		{"archive", archive, []int{1, 2}, []string{"--gcmode", "archive"}},
		{"only peer is a follower", behind, []int{full}, nil},
		{"one peer", single, []int{3}, nil},
		{"snap", snap, []int{0, 1, 2}, []string{"--syncmode", "snap"}},
		{"snap behind snap", second, []int{snap},
			[]string{"--syncmode", "snap", "--checkpoint", c.block(t, 0, uint64(50)).Hash.Hex()}},
	} {
		t.Run(row.name, func(t *testing.T) {
			c.follow(t, row.node, row.peers, row.flags...)
			c.atHead(t, row.node, 0)
		})
	}
	if t.Failed() {
		return
	}
	if got := c.peers(t, behind); len(got) != 1 || got[0] != c.node(full).Name {
		t.Errorf("the follower behind a follower has peers %v", got)
	}
	// Block n of the past pays one wei to an account that had nothing before.
	t.Run("old state", func(t *testing.T) {
		const n = 7
		account := common.BigToAddress(new(big.Int).SetUint64(1<<32 + n - 1))
		for at, want := range map[string]int64{"0x6": 0, "0x7": 1} {
			var got hexutil.Big // an archive indexes old states behind the import
			c.await(t, "state of block "+at+" on the archive node", func() (bool, string) {
				err := c.call(archive, &got, "eth_getBalance", account, at)
				return err == nil, fmt.Sprint(err)
			})
			if got.ToInt().Int64() != want {
				t.Errorf("balance at block %s on the archive node is %v, want %d", at, got.ToInt(), want)
			}
		}
		err := c.call(full, new(string), "eth_getBalance", account, "0x7")
		if err == nil || !strings.Contains(err.Error(), "not available") {
			t.Errorf("old state on the full node: %v, want a refusal that says so", err)
		}
		if err := c.call(snap, new(string), "eth_getBalance", account, "0x7"); err == nil {
			t.Error("the state of block 7 is on the node with snap sync: the blocks were executed")
		}
		for _, i := range []int{full, archive, snap, second} {
			if got := c.balance(t, i, account, "latest"); got.Int64() != 1 {
				t.Errorf("balance now on %s is %v, want 1", c.node(i).Name, got)
			}
		}
	})

	t.Run("restart", func(t *testing.T) {
		c.kill(t, single)
		c.stop(t, behind)
		c.atHead(t, 0, 0)
		c.follow(t, single, []int{3})
		c.follow(t, behind, []int{full})
		c.kill(t, snap)
		c.follow(t, snap, []int{0, 1, 2}, "--syncmode", "snap")
		c.atHead(t, snap, 0)
		var done bool // the node behind it dials again after half a minute
		c.must(t, snap, &done, "admin_addPeer", c.node(second).Enode())
		c.atHead(t, single, 0)
		c.atHead(t, behind, 0)
	})

	t.Run("other peer", func(t *testing.T) {
		var done bool
		c.must(t, single, &done, "admin_removePeer", c.node(3).Enode())
		c.await(t, "the end of the connection", func() (bool, string) {
			names := c.peers(t, single)
			return len(names) == 0, fmt.Sprint(names)
		})
		alone := must.Get(c.head(single))(t)
		c.awaitHead(t, alone+3, 0)
		if now, err := c.head(single); err != nil || now > alone {
			t.Errorf("without a peer the follower went from block %d to %d, error %v", alone, now, err)
		}
		c.must(t, single, &done, "admin_addPeer", c.node(1).Enode())
		c.atHead(t, single, 0)
		if got := c.peers(t, single); len(got) != 1 || got[0] != c.node(1).Name {
			t.Errorf("peers %v, want %s", got, c.node(1).Name)
		}
	})

	// A validator that has lost its chain but not its key and votes comes back by snap sync, and seals.
	t.Run("lost chain", func(t *testing.T) {
		const lost = 2
		c.stop(t, lost)
		for _, args := range [][]string{{"removedb", "--yes"}, {"init", filepath.Join(c.network.Dir, "genesis.json")}} {
			_, stderr, err := gwon(t, t.TempDir(), append([]string{"--datadir", c.node(lost).Dir}, args...)...)
			if err != nil {
				t.Fatalf("gwon %v: %v: %s", args, err, stderr)
			}
		}
		c.start(t, lost, "--syncmode", "snap")
		c.awaitProposal(t, lost, must.Get(c.head(0))(t))
	})

	c.sameChain(t, must.Get(c.head(0))(t))
}

// The validators of a network that is about to begin do not wait for each other's state.
func TestSnapSyncOfNewNetwork(t *testing.T) {
	t.Parallel()
	c := prepareCluster(t, 4)
	for i := range c.network.Nodes {
		c.start(t, i, "--syncmode", "snap")
	}
	c.awaitHead(t, 3, c.running()...)
}
