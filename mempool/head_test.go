// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"errors"
	"math/big"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/trie"
	"github.com/holiman/uint256"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// TestDropsBlacklisted drops transactions of a blacklisted sender, fee payer or recipient. spec: transactions 6 no. 7
func TestDropsBlacklisted(t *testing.T) {
	recipient := common.Address{1}
	for name, addr := range map[string]common.Address{
		"sender": anzeonTestAddr(t, 1), "fee payer": anzeonTestAddr(t, 9), "recipient": recipient,
	} {
		t.Run(name, func(t *testing.T) {
			chain := newAnzeonTestChain(t)
			for key := byte(1); key <= 3; key++ {
				chain.fund(t, key, 4e18)
			}
			chain.fund(t, 9, 4*fee)
			chain.fund(t, 8, 4*fee)
			chain.blacklist(common.Address{2})
			pool := chain.open(t)
			bad := delegated(t, 1, 9, func(tx *types.DynamicFeeTx) { tx.To = &recipient })
			good := delegated(t, 2, 8, nil)
			creation := ordinary(t, 3, func(tx *types.DynamicFeeTx) {
				tx.To, tx.Gas, tx.Value = nil, 53000, new(big.Int)
			})
			chain.fund(t, 3, 6e18)
			chain.extend(pool) // the flags are known from here on
			mustAdd(t, pool, bad, good, creation)
			chain.extend(pool)
			wantPooled(t, pool, map[*types.Transaction]bool{bad: true, good: true, creation: true})

			chain.blacklist(addr)
			chain.extend(pool)
			wantPooled(t, pool, map[*types.Transaction]bool{bad: false, good: true, creation: true})
			wantError(t, pool, bad, vm.ErrBlacklisted)
		})
	}
}

// TestFollowsBlocks readmits transactions of undone blocks, and drops pooled ones whose nonce a block has used.
func TestFollowsBlocks(t *testing.T) {
	chain, pool := small(t, nil)
	mine, other := ordinary(t, 1, bid(0, 276, 100)), ordinary(t, 1, bid(0, 400, 200))
	next := ordinary(t, 1, bid(1, 276, 100))
	mustAdd(t, pool, mine, next)
	before := chain.state.Copy()
	chain.state.SetNonce(anzeonTestAddr(t, 1), 1, tracing.NonceChangeUnspecified)
	pool.follow(chain.head, chain.state.Copy(), path{[]*types.Transaction{other}, nil, true})
	wantPooled(t, pool, map[*types.Transaction]bool{mine: false, other: false, next: true})
	expect.That(t, pool.Known(other.Hash()), "what is in a block is asked for again")
	pool.follow(chain.head, before, path{nil, []*types.Transaction{other}, true})
	wantPooled(t, pool, map[*types.Transaction]bool{mine: false, other: true, next: true})
	pending, queued := pool.Stats()
	expect.That(t, pending == 2 && queued == 0, "%d pending, %d queued", pending, queued)
}

// TestRecoversNoPooledSender takes senders of blocks from the pool. Blocks with more unknown senders than the pool has
// are followed without recovery.
func TestRecoversNoPooledSender(t *testing.T) {
	chain, pool := small(t, nil)
	strange := []*types.Transaction{
		decoded(t, ordinary(t, 3, bid(0, 276, 100))),
		decoded(t, ordinary(t, 4, bid(0, 276, 100))),
	}
	pool.follow(chain.head, chain.state.Copy(), path{strange, nil, true})
	expect.That(t, !strange[0].Signers().HasSender() && !strange[1].Signers().HasSender(),
		"senders are recovered for an empty pool")
	pooled, stale := ordinary(t, 1, bid(0, 276, 100)), ordinary(t, 2, bid(0, 276, 100))
	mustAdd(t, pool, pooled, stale)
	block := []*types.Transaction{decoded(t, pooled), decoded(t, ordinary(t, 2, bid(0, 400, 200)))}
	for key := byte(1); key <= 2; key++ {
		chain.state.SetNonce(anzeonTestAddr(t, key), 1, tracing.NonceChangeUnspecified)
	}
	for range 5 { // more unknown senders than the pool has
		block = append(block, decoded(t, ordinary(t, 3, bid(uint64(len(block)), 276, 100))))
	}
	pool.follow(chain.head, chain.state.Copy(), path{block, nil, true})
	expect.That(t, block[0].Signers().HasSender() && !block[2].Signers().HasSender(),
		"the sender of a pooled transaction is recovered once, those of many strangers never")
	wantPooled(t, pool, map[*types.Transaction]bool{pooled: false, stale: false})
}

// TestExpiresQueued drops the queued transactions of inactive accounts, and no executable ones.
func TestExpiresQueued(t *testing.T) {
	_, pool := small(t, nil)
	ready, behind := ordinary(t, 1, bid(0, 276, 100)), ordinary(t, 2, bid(1, 276, 100))
	mustAdd(t, pool, ready, behind)
	pool.expire(time.Now().Add(pool.policy.config.Lifetime - time.Minute))
	wantPooled(t, pool, map[*types.Transaction]bool{ready: true, behind: true})
	pool.expire(time.Now().Add(pool.policy.config.Lifetime + time.Minute))
	wantPooled(t, pool, map[*types.Transaction]bool{ready: true, behind: false})
}

// forkingChain has blocks on several branches, each with its own state.
type forkingChain struct {
	*anzeonTestChain
	blocks     map[common.Hash]*types.Block
	states     map[common.Hash]*state.StateDB // by root
	unreadable map[common.Hash]bool           // roots whose state fails to be read
}

// newForkingChain returns such a chain with one block.
func newForkingChain(t testing.TB) *forkingChain {
	c := &forkingChain{
		newAnzeonTestChain(t),
		map[common.Hash]*types.Block{},
		map[common.Hash]*state.StateDB{},
		map[common.Hash]bool{},
	}
	for key := range byte(4) {
		c.enrich(t, key+1)
	}
	c.states[c.head.Root] = c.state.Copy()
	c.blocks[c.head.Hash()] = types.NewBlockWithHeader(c.head)
	return c
}

// GetBlock implements legacypool.BlockChain.
func (c *forkingChain) GetBlock(hash common.Hash, _ uint64) *types.Block { return c.blocks[hash] }

// StateAt implements legacypool.BlockChain.
func (c *forkingChain) StateAt(root common.Hash, _ *big.Int, _ uint64) (*state.StateDB, error) {
	if c.unreadable[root] {
		return nil, errors.New("the disk does not answer")
	}
	return c.states[root].Copy(), nil
}

// child makes a block with transactions. Its root is the name of its state.
func (c *forkingChain) child(t testing.TB, parent *types.Header, root byte, txs ...*types.Transaction) *types.Header {
	t.Helper()
	statedb := c.states[parent.Root].Copy()
	for _, tx := range txs {
		from := must.Get(types.Sender(types.NewAnzeonSigner(c.config.ChainID), decoded(t, tx)))(t)
		statedb.SetNonce(from, tx.Nonce()+1, tracing.NonceChangeUnspecified)
	}
	header := types.CopyHeader(parent)
	header.ParentHash, header.Root = parent.Hash(), common.Hash{root}
	header.Number.Add(parent.Number, common.Big1)
	block := types.NewBlock(header, &types.Body{Transactions: txs}, nil, trie.NewStackTrie(nil))
	c.states[header.Root], c.blocks[block.Hash()] = statedb, block
	return block.Header()
}

// move makes a block the head and resets the pool from the head before, as go-ethereum's loop does.
func (c *forkingChain) move(pool *Pool, head *types.Header) {
	before := c.head
	c.moveTo(head)
	pool.Reset(before, head)
}

// TestReadmitsUndone readmits transactions of undone blocks and their copies, with and without a skipped head.
func TestReadmitsUndone(t *testing.T) {
	for _, missed := range []bool{false, true} {
		chain := newForkingChain(t)
		pool := openOn(t, chain, Defaults)
		first := chain.head
		undone, kept := ordinary(t, 1, bid(0, 276, 100)), ordinary(t, 2, bid(0, 276, 100))
		chain.move(pool, chain.child(t, first, 1, undone, kept))
		must.That(t, pool.isIncluded(undone.Hash()) && pool.isIncluded(kept.Hash()), "what a block has is not known")
		other := chain.child(t, first, 2, kept)
		chain.unreadable[other.Root] = missed
		chain.move(pool, other)
		chain.move(pool, chain.child(t, other, 3))
		if pool.isIncluded(undone.Hash()) || !pool.Has(undone.Hash()) {
			t.Errorf(
				"heads missed: %v: what was undone counts as in a block: %v; is pooled: %v",
				missed,
				pool.isIncluded(undone.Hash()),
				pool.Has(undone.Hash()),
			)
		}
		if !pool.isIncluded(kept.Hash()) || pool.Has(kept.Hash()) {
			t.Errorf(
				"heads missed: %v: what both have counts as in a block: %v; is pooled: %v",
				missed,
				pool.isIncluded(kept.Hash()),
				pool.Has(kept.Hash()),
			)
		}
		pool.Clear()
		expect.Error(t, submit(pool, decoded(t, undone)), nil, "heads missed: %v: a peer's copy", missed)
		checkPool(t, pool)
	}
}

// TestSubmissionAwaitsHead judges a submission by the head of the chain, which the pool follows with a delay. It waits
// for headWait at most. spec: rpc 8.1
func TestSubmissionAwaitsHead(t *testing.T) {
	for _, test := range []struct {
		name   string
		follow bool
		want   error
		after  time.Duration
	}{
		{"the pool follows", true, nil, 30 * time.Millisecond},
		{"the pool does not follow", false, gethcore.ErrInsufficientFunds, headWait},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				chain := newForkingChain(t)
				pool := openOn(t, chain, Defaults)
				before, tx := chain.head, ordinary(t, 99, bid(0, 276, 100))
				from := must.Get(types.Sender(types.NewAnzeonSigner(chain.config.ChainID), decoded(t, tx)))(t)
				head := chain.child(t, before, 1)
				chain.states[head.Root].SetBalance(
					from,
					uint256.MustFromDecimal("1000000000000000000000000000"),
					tracing.BalanceChangeUnspecified,
				)
				chain.moveTo(head) // the pool follows later
				start := time.Now()
				if test.follow {
					time.AfterFunc(test.after, func() { pool.Reset(before, head) })
				}
				if err := pool.Submit(decoded(t, tx)); !errors.Is(err, test.want) || time.Since(start) != test.after {
					t.Errorf("%v after %v, want %v after %v", err, time.Since(start), test.want, test.after)
				}
			})
		})
	}
}
