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
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/dev/devnet"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/params"
)

// addFollowers gives the cluster n more nodes, with its genesis block and without a validator's key. None runs yet.
// It returns the index of the first.
func (c *cluster) addFollowers(t testing.TB, n int) (first int) {
	t.Helper()
	// A second network lends its nodes: their keys, ports and directories, not its genesis.
	first = len(c.network.Nodes)
	lender := must.Get(devnet.Prepare(devnet.Options{
		Dir: filepath.Join(c.network.Dir, fmt.Sprintf("followers%d", first)), Validators: n, Accounts: 1, ChainID: chainID,
		Period: time.Second,
	}))(t)
	t.Cleanup(func() { expect.Error(t, lender.Close(), nil, "lender.Close") })
	genesis := filepath.Join(c.network.Dir, "genesis.json")
	for i, node := range lender.Nodes {
		node.Name = fmt.Sprintf("follower%d", i+1)
		_, stderr, err := gwon(t, t.TempDir(), "--datadir", node.Dir, "init", genesis)
		must.That(t, err == nil, "init of %s: %v: %s", node.Name, err, stderr)
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
	p := must.Get(c.supervisor.StartWith(node, append([]string{
		"--datadir", node.Dir, "--config", filepath.Join(node.Dir, "config.toml"), "--exit.stdin",
		"--nodiscover", "--nat", "none", "--bootnodes", "", "--netrestrict", "127.0.0.0/8", "--ipcdisable", "--cache", "64",
		"--http", "--http.addr", "127.0.0.1", "--http.port", fmt.Sprint(node.HTTPPort),
		"--http.api", "eth,net,web3,txpool,istanbul,debug,admin",
	}, extra...)))(t)
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
	got := c.peers(t, behind)
	expect.That(t, len(got) == 1 && got[0] == c.node(full).Name, "the follower behind a follower has peers %v", got)
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
			expect.Equal(t, got.ToInt().Int64(), want, "balance at block %s on the archive node", at)
		}
		err := c.call(full, new(string), "eth_getBalance", account, "0x7")
		expect.Says(t, err, "not available", "old state on the full node")
		expect.Refused(t, c.call(snap, new(string), "eth_getBalance", account, "0x7"),
			"the state of block 7 is on the node with snap sync: the blocks were executed")
		for _, i := range []int{full, archive, snap, second} {
			expect.Equal(t, c.balance(t, i, account, "latest").Int64(), 1, "balance now on %s", c.node(i).Name)
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
		done := get[bool](t, c, single, "admin_removePeer", c.node(3).Enode())
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
			must.That(t, err == nil, "gwon %v: %v: %s", args, err, stderr)
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

// withAdmin makes a node show its peers.
var withAdmin = []string{"--http.api", "eth,net,web3,txpool,istanbul,debug,personal,admin"}

// knows makes node i dial the given ones and no other.
func (c *cluster) knows(t *testing.T, i int, others ...int) {
	t.Helper()
	var text strings.Builder
	fmt.Fprintf(&text, "[Node.P2P]\nListenAddr = \"127.0.0.1:%d\"\nNoDiscovery = true\n", c.node(i).P2PPort)
	text.WriteString("BootstrapNodes = []\nBootstrapNodesV5 = []\nStaticNodes = [\n")
	for _, other := range others {
		fmt.Fprintf(&text, "  %q,\n", c.node(other).Enode())
	}
	text.WriteString("]\n")
	must.Do(t, os.WriteFile(filepath.Join(c.node(i).Dir, "config.toml"), []byte(text.String()), 0o644))
}

// Validators connected in a line decide blocks although the votes of all four are needed: each passes on what it has
// handled (spec network 3, wbft 4.4). The fifth never runs, so a quorum of five is four (spec wbft 3.2) and rounds
// change as well.
func TestValidatorsInALine(t *testing.T) {
	t.Parallel()
	c := prepareCluster(t, 5)
	for i := range 4 {
		if i < 3 {
			c.knows(t, i, i+1)
		} else {
			c.knows(t, i)
		}
		c.start(t, i, withAdmin...)
	}
	line := []int{1, 2, 2, 1}
	for i, count := range line {
		c.awaitLinks(t, i, count)
	}
	first := must.Get(c.head(0))(t)
	last := first + 8
	c.sameChain(t, last)
	proposed := make(map[common.Address]bool)
	for n := first + 1; n <= last; n++ {
		proposed[c.block(t, 0, n).Miner] = true
	}
	for i, node := range c.network.Nodes[:4] {
		expect.That(t, proposed[node.Address], "%s proposed none of the blocks %d to %d", node.Name, first+1, last)
		c.awaitLinks(t, i, line[i])
	}
}

// A validator whose places are taken by somebody else still takes part: the others get in (spec network 11 no. 5).
func TestFullPeerTable(t *testing.T) {
	t.Parallel()
	c := prepareCluster(t, 4)
	const full = 0
	c.knows(t, full)                                          // it dials none
	c.start(t, full, append(withAdmin, "--maxpeers", "2")...) // one of them to be dialed
	filler := newOutsider(t, nil)
	c.await(t, "the only inbound place to be taken", func() (bool, string) {
		_, err := filler.dial(t.Context(), c.node(full))
		return err == nil, fmt.Sprint(err)
	})
	for _, i := range []int{1, 2} { // with three of four validators, every one is needed
		c.knows(t, i, 0, 3-i)
		c.start(t, i, withAdmin...)
	}
	for name, p := range c.awaitLinks(t, full, 2) {
		expect.That(t, p.Network.Inbound && p.Network.Trusted,
			"%s: inbound %v, trusted %v, want both", name, p.Network.Inbound, p.Network.Trusted)
	}
	c.awaitHead(t, 5, 0, 1, 2)
	expect.Equal(t, filler.server.PeerCount(), 1, "connections of the peer that was there first")
	stranger := newOutsider(t, nil)
	expect.Refused(t, expect.Err(stranger.dial(t.Context(), c.node(full))), "somebody who is no validator got in as well")
}

// A validator finds the others again after a restart without being told where they are (spec network 11 no. 5).
func TestValidatorsAreRemembered(t *testing.T) {
	t.Parallel()
	c := prepareCluster(t, 4)
	for i := range c.network.Nodes {
		c.start(t, i, withAdmin...)
	}
	for i := range c.network.Nodes {
		c.awaitLinks(t, i, 3)
	}
	c.awaitHead(t, 3, c.running()...)
	for i := range c.network.Nodes {
		c.stop(t, i)
	}
	for i := range c.network.Nodes {
		c.knows(t, i)
		c.start(t, i, withAdmin...)
	}
	for i := range c.network.Nodes {
		c.awaitLinks(t, i, 3)
	}
	head := must.Get(c.head(0))(t)
	c.sameChain(t, head+3)
}

// A node snap syncs past a block whose receipts exceed what eth/68 carries: 129 logs of 100,000 bytes. It has the block
// without them, says so when it is asked, and has the receipts of the next one (spec network 2.3, 4).
func TestSnapSyncPastUnservedReceipts(t *testing.T) {
	t.Parallel()
	const past, heavy = 200, 7
	c := agedCluster(t, 1, past*time.Second+time.Hour)
	// PUSH1 129, JUMPDEST, PUSH3 100000, PUSH0, LOG0, PUSH1 1, SWAP1, SUB, DUP1, PUSH1 2, JUMPI, STOP
	logs := common.FromHex("60815b620186a05fa0600190038060025700")
	var hashes []common.Hash
	c.startAged(t, past, 0, func(parent *types.Header) []*types.Transaction {
		number := parent.Number.Uint64() + 1
		if number != heavy && number != heavy+1 {
			return nil
		}
		tip := new(big.Int).SetUint64(params.DefaultGasTip)
		inner := &types.DynamicFeeTx{
			ChainID: big.NewInt(chainID), Nonce: number - heavy, GasTipCap: tip, Gas: 21000, To: &common.Address{1},
			GasFeeCap: new(big.Int).Add(tip, new(big.Int).Mul(parent.BaseFee, big.NewInt(2))),
		}
		if number == heavy {
			inner.Gas, inner.To, inner.Data = 104_000_000, nil, logs
		}
		tx := types.MustSignNewTx(c.network.Accounts[0].Key(), types.LatestSignerForChainID(inner.ChainID), inner)
		hashes = append(hashes, tx.Hash())
		return []*types.Transaction{tx}
	})
	n := len(c.receipt(t, 0, hashes[0]).Logs)
	must.That(t, n >= 129, "the block has %d logs", n)
	follower := c.addFollowers(t, 1)
	c.follow(t, follower, []int{0}, "--syncmode", "snap")
	c.atHead(t, follower, 0)
	expect.Equal(t, c.receipt(t, follower, hashes[1]).BlockNumber.Uint64(), heavy+1,
		"the next block's receipt is of block")
	b := c.block(t, follower, uint64(heavy))
	expect.That(t, len(b.Transactions) == 1 && b.Hash == c.block(t, 0,
		uint64(heavy)).Hash, "block %d on the follower has transactions %v", heavy, b.Transactions)
	var r *types.Receipt
	expect.Refused(t, c.call(follower, &r, "eth_getTransactionReceipt", hashes[0]),
		"the receipt that is not there reads as %v", r)
	head := must.Get(c.head(0))(t)
	c.sameChain(t, head)
}
