// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"math/big"
	"path/filepath"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"gwon/internal/must"
)

// A follower takes a recent state from its peers, has the state of its head and none of old blocks, and gives all it
// has to the next follower, which trusts a checkpoint only (spec network 4).
func TestSnapSync(t *testing.T) {
	t.Parallel()
	const past = 300
	c := startAgedCluster(t, 1, past, 20)
	c.awaitHead(t, past+1, 0)
	snap := c.addFollowers(t, 2)
	second := snap + 1
	c.follow(t, snap, []int{0}, "--syncmode", "snap")
	c.atHead(t, snap, 0)

	account := common.BigToAddress(new(big.Int).SetUint64(1<<32 + 7))
	want := c.balance(t, 0, account, "latest")
	if got := c.balance(t, snap, account, "latest"); got.Cmp(want) != 0 || got.Sign() == 0 {
		t.Errorf("balance %v, want %v", got, want)
	}
	if err := c.call(snap, new(string), "eth_getBalance", account, "0x7"); err == nil {
		t.Error("the state of block 7 is there: the blocks were executed")
	}

	c.follow(t, second, []int{snap}, "--syncmode", "snap", "--checkpoint", c.block(t, 0, uint64(50)).Hash.Hex())
	c.atHead(t, second, 0)
	if got := c.balance(t, second, account, "latest"); got.Cmp(want) != 0 {
		t.Errorf("balance on the second follower %v, want %v", got, want)
	}
	head := must.Get(c.head(0))(t)
	c.sameChain(t, head)
}

// A validator that has lost its chain but not its key and votes comes back by snap sync, and seals when it has caught
// up.
func TestSnapSyncOfValidators(t *testing.T) {
	t.Parallel()
	const past = 200
	c := startAgedCluster(t, 4, past, 1)
	c.awaitHead(t, past+2, c.running()...)
	lost := c.node(3)
	c.stop(t, 3)
	genesis := filepath.Join(c.network.Dir, "genesis.json")
	for _, args := range [][]string{
		{"removedb", "--yes", "--datadir", lost.Dir}, {"--datadir", lost.Dir, "init", genesis},
	} {
		if _, stderr, err := gwon(t, t.TempDir(), args...); err != nil {
			t.Fatalf("gwon %v: %v: %s", args, err, stderr)
		}
	}
	c.start(t, 3, "--syncmode", "snap")
	c.atHead(t, 3, 0)
	c.await(t, "a block proposed by the validator that came back", func() (bool, string) {
		head, err := c.head(0)
		if err != nil {
			return false, err.Error()
		}
		miner := c.block(t, 0, head).Miner
		return miner == lost.Address, miner.Hex()
	})
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
