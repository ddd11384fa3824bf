// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"fmt"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"gwon/internal/must"
)

// Four validators of five, which are a quorum (spec wbft 3.2), seal one chain: each of them proposes, epochs pass. The
// fifth, which does not seal, gets the chain from its peers, follows it, and brings them transactions.
func TestFollower(t *testing.T) {
	t.Parallel()
	c := startCluster(t, 5)
	// The fifth validator stays away from consensus from the start: its process is replaced by one without --mine.
	const follower, last = 4, 12 // past the first epoch block, 10
	c.stop(t, follower)
	c.awaitHead(t, last, 0, 1, 2, 3)
	c.startWithout(t, follower, "--mine")
	c.awaitHead(t, last, follower)
	proposers := make(map[common.Address]bool)
	for n := uint64(1); n <= last; n++ {
		b, parent := c.block(t, 0, n), c.block(t, 0, n-1)
		if b.ParentHash != parent.Hash || b.Time <= parent.Time {
			t.Errorf("block %d does not follow block %d: parent hash %v, times %d and %d", n, n-1, b.ParentHash, parent.Time,
				b.Time)
		}
		if b.Difficulty.ToInt().Uint64() != 1 {
			t.Errorf("block %d has difficulty %v, want 1", n, b.Difficulty)
		}
		proposers[b.Miner] = true
	}
	for _, node := range c.network.Nodes[:follower] {
		if !proposers[node.Address] {
			t.Errorf("%s proposed none of the blocks 1 to %d", node.Name, last)
		}
	}
	var validators []common.Address
	c.must(t, 0, &validators, "istanbul_getValidators", "latest")
	if len(validators) != len(c.network.Nodes) {
		t.Errorf("%d validators, want %d", len(validators), len(c.network.Nodes))
	}
	// Every committed block is final, on the proposer too (spec rpc 7).
	for _, i := range c.running() {
		c.await(t, fmt.Sprintf("final block %d on %s", last, c.node(i).Name), func() (bool, string) {
			final := c.block(t, i, "finalized")
			return uint64(final.Number) >= last, fmt.Sprintf("finalized is block %d", final.Number)
		})
	}

	c.sameChain(t, must.Get(c.head(0))(t)+3)

	sender := c.network.Accounts[1]
	_, to := emptyAccount(t)
	tip, feeCap := c.fees(t, follower)
	var hash common.Hash
	c.must(t, follower, &hash, "eth_sendRawTransaction", hexutil.Bytes(transfer(t, sender.Key(), 0, to, tip, tip, feeCap)))
	for _, i := range []int{0, follower} {
		if r := c.receipt(t, i, hash); r.Status != 1 {
			t.Errorf("%s: receipt status %d, want 1", c.node(i).Name, r.Status)
		}
	}
	var mining bool
	c.must(t, follower, &mining, "eth_mining")
	if mining {
		t.Error("the follower takes part in consensus")
	}
	// It has a validator's key, so the others send it their votes. It ignores them, and nobody is dropped for it (spec
	// network 3).
	var peers hexutil.Uint
	c.must(t, follower, &peers, "net_peerCount")
	if peers != 4 {
		t.Errorf("the follower has %d peers, want 4", peers)
	}
}
