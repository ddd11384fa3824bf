// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"fmt"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
)

// Four validators seal one chain: a quorum is three (spec wbft 3.2), every one of them proposes and signs, epochs pass.
func TestValidatorsSeal(t *testing.T) {
	t.Parallel()
	c := startCluster(t, 4)
	const last = 12 // past the first epoch block, 10
	c.awaitHead(t, last, c.running()...)
	c.sameChain(t, last)

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
	for _, node := range c.network.Nodes {
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
}

// A network of four goes on without one, also when that one is killed, and takes it back when it returns.
func TestKilledValidatorReturns(t *testing.T) {
	t.Parallel()
	c := startCluster(t, 4)
	c.awaitHead(t, 3, c.running()...)
	c.kill(t, 3)
	before, err := c.head(0)
	if err != nil {
		t.Fatal(err)
	}
	// The others know that its connections have ended, so that its first turns cost them little (docs/consensus.md,
	// Round changes).
	parted := func(want ...common.Address) {
		t.Helper()
		c.await(t, fmt.Sprintf("connections lost with %v", want), func() (bool, string) {
			var status struct {
				Core struct{ Parted []common.Address }
			}
			err := c.call(0, &status, "istanbul_consensusStatus")
			return err == nil && slices.Equal(status.Core.Parted, want), fmt.Sprintf("%v, error %v", status.Core.Parted, err)
		})
	}
	parted(c.node(3).Address)
	c.awaitHead(t, before+4, c.running()...)

	c.start(t, 3)
	missed, err := c.head(0)
	if err != nil {
		t.Fatal(err)
	}
	c.awaitHead(t, missed+1, 3)
	c.sameChain(t, missed+1)

	// It seals again: its seal is in a block that was made after it came back.
	back := c.node(3).Address
	c.await(t, "a seal of the returned validator", func() (bool, string) {
		head, err := c.head(0)
		if err != nil || head <= missed+1 {
			return false, fmt.Sprintf("head %d, error %v", head, err)
		}
		committed := make(map[common.Address]int)
		status := struct {
			Activity struct {
				Committed *map[common.Address]int `json:"committed"`
			} `json:"sealerActivity"`
		}{}
		status.Activity.Committed = &committed
		err = c.call(0, &status, "istanbul_status", fmt.Sprintf("%#x", missed+1), fmt.Sprintf("%#x", head))
		return err == nil && committed[back] > 0, fmt.Sprintf("%v, error %v", committed, err)
	})
	parted()
}

// Without a quorum nothing is decided, and with it again the same chain goes on.
func TestHaltWithoutQuorum(t *testing.T) {
	t.Parallel()
	c := startCluster(t, 4)
	c.awaitHead(t, 3, c.running()...)
	c.stop(t, 2)
	c.stop(t, 3)

	// A block that was being decided may still come. Then the two give the round up, hear so from each other, and decide
	// nothing: each stays in the round after it until a quorum is there.
	round := func(i int) (round uint64, changes int, err error) {
		var status struct {
			Core struct {
				Round        uint64
				RoundChanges int
			}
		}
		err = c.call(i, &status, "istanbul_consensusStatus")
		return status.Core.Round, status.Core.RoundChanges, err
	}
	var heads [2]uint64
	for i := range heads {
		c.await(t, fmt.Sprintf("round 1 on %s", c.node(i).Name), func() (bool, string) {
			r, _, err := round(i)
			return err == nil && r >= 1, fmt.Sprintf("round %d, error %v", r, err)
		})
		head, err := c.head(i)
		if err != nil {
			t.Fatal(err)
		}
		heads[i] = head
	}
	for i, at := range heads {
		c.await(t, fmt.Sprintf("ROUND-CHANGEs of both on %s", c.node(i).Name), func() (bool, string) {
			r, changes, err := round(i)
			return err == nil && r >= 1 && changes == 2, fmt.Sprintf("round %d with %d ROUND-CHANGEs, error %v", r, changes, err)
		})
		if now, err := c.head(i); err != nil || now != at {
			t.Errorf("%s went from block %d to %d without a quorum (error %v)", c.node(i).Name, at, now, err)
		}
	}

	c.start(t, 2)
	c.awaitHead(t, max(heads[0], heads[1])+3, c.running()...)
	c.sameChain(t, max(heads[0], heads[1])+3)
}

// A power loss takes all validators at once. What was decided is still there, and the chain goes on from it.
func TestPowerLoss(t *testing.T) {
	t.Parallel()
	c := startCluster(t, 4)
	c.awaitHead(t, 5, c.running()...)
	var final uint64
	for _, i := range c.running() {
		head, err := c.head(i)
		if err != nil {
			t.Fatal(err)
		}
		final = max(final, head)
	}
	before := make(map[uint64]common.Hash)
	for n := uint64(0); n <= final-1; n++ { // the newest one may be on one node only
		before[n] = c.block(t, 0, n).Hash
	}
	for i := range c.network.Nodes {
		c.kill(t, i)
	}
	for i := range c.network.Nodes {
		c.start(t, i)
	}
	c.awaitHead(t, final+3, c.running()...)
	for n, hash := range before {
		if got := c.block(t, 3, n).Hash; got != hash {
			t.Errorf("block %d was %v, is %v", n, hash, got)
		}
	}
	c.sameChain(t, final+3)
}

// A node that does not seal gets the chain from its peers, follows it, and brings them transactions.
func TestFollower(t *testing.T) {
	t.Parallel()
	c := startCluster(t, 5)
	// The fifth validator stays away from consensus from the start: its process is replaced by one without --mine.
	const follower = 4
	c.stop(t, follower)
	c.awaitHead(t, 12, 0, 1, 2, 3)
	c.startWithout(t, follower, "--mine")
	c.awaitHead(t, 12, follower)
	head, err := c.head(0)
	if err != nil {
		t.Fatal(err)
	}
	c.awaitHead(t, head+3, follower)
	c.sameChain(t, head+3)

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
