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
	"github.com/ethereum/go-ethereum/trie"
	"github.com/holiman/uint256"
)

// forkingChain has blocks side by side, each with its own state.
type forkingChain struct {
	*anzeonTestChain
	blocks     map[common.Hash]*types.Block
	states     map[common.Hash]*state.StateDB // by root
	unreadable map[common.Hash]bool           // roots whose state cannot be read for now
}

func newForkingChain(t testing.TB) *forkingChain {
	c := &forkingChain{newAnzeonTestChain(t), map[common.Hash]*types.Block{}, map[common.Hash]*state.StateDB{}, map[common.Hash]bool{}}
	for key := range byte(4) {
		c.enrich(t, key+1)
	}
	c.states[c.head.Root] = c.state.Copy()
	c.blocks[c.head.Hash()] = types.NewBlockWithHeader(c.head)
	return c
}

func (c *forkingChain) GetBlock(hash common.Hash, _ uint64) *types.Block { return c.blocks[hash] }

func (c *forkingChain) StateAt(root common.Hash, _ *big.Int, _ uint64) (*state.StateDB, error) {
	if c.unreadable[root] {
		return nil, errors.New("the disk does not answer")
	}
	return c.states[root].Copy(), nil
}

// child makes a block with these transactions. Its root is the name of its state.
func (c *forkingChain) child(t testing.TB, parent *types.Header, root byte, txs ...*types.Transaction) *types.Header {
	t.Helper()
	statedb := c.states[parent.Root].Copy()
	for _, tx := range txs {
		from, err := types.Sender(types.NewAnzeonSigner(c.config.ChainID), decoded(t, tx))
		if err != nil {
			t.Fatal(err)
		}
		statedb.SetNonce(from, tx.Nonce()+1, tracing.NonceChangeUnspecified)
	}
	header := types.CopyHeader(parent)
	header.ParentHash, header.Root = parent.Hash(), common.Hash{root}
	header.Number.Add(parent.Number, common.Big1)
	block := types.NewBlock(header, &types.Body{Transactions: txs}, nil, trie.NewStackTrie(nil))
	c.states[header.Root], c.blocks[block.Hash()] = statedb, block
	return block.Header()
}

// move makes a block the head and resets the pool to it from the one that was, as upstream's loop does whether or not the pool could follow.
func (c *forkingChain) move(pool *Pool, head *types.Header) {
	before := c.head
	c.moveTo(head)
	pool.Reset(before, head)
}

// What is in no block any more is pooled again, and copies of it are not taken for late, whether the pool could follow each head or has
// missed some.
func TestUndoneTransactions(t *testing.T) {
	for _, missed := range []bool{false, true} {
		chain := newForkingChain(t)
		pool := openOn(t, chain, Defaults)
		first := chain.head
		undone, kept := ordinary(t, 1, bid(0, 276, 100)), ordinary(t, 2, bid(0, 276, 100))
		chain.move(pool, chain.child(t, first, 1, undone, kept))
		if !pool.isLate(undone.Hash()) || !pool.isLate(kept.Hash()) {
			t.Fatal("what a block has is not known")
		}
		other := chain.child(t, first, 2, kept)
		chain.unreadable[other.Root] = missed
		chain.move(pool, other)
		chain.move(pool, chain.child(t, other, 3))
		if pool.isLate(undone.Hash()) || !pool.Has(undone.Hash()) {
			t.Errorf("heads missed: %v: what was undone counts as in a block: %v; is pooled: %v", missed, pool.isLate(undone.Hash()), pool.Has(undone.Hash()))
		}
		if !pool.isLate(kept.Hash()) || pool.Has(kept.Hash()) {
			t.Errorf("heads missed: %v: what both have counts as in a block: %v; is pooled: %v", missed, pool.isLate(kept.Hash()), pool.Has(kept.Hash()))
		}
		pool.Clear()
		if err := submit(pool, decoded(t, undone)); err != nil {
			t.Errorf("heads missed: %v: a peer's copy: %v", missed, err)
		}
		checkPool(t, pool)
	}
}

// A submission is judged by the head that the chain already shows, which the pool may still have to follow to. What never comes is
// waited for briefly. spec: rpc 8.1
func TestSubmissionSeesTheHead(t *testing.T) {
	for _, test := range []struct {
		name   string
		follow bool
		want   error
		after  time.Duration
	}{
		{"the pool follows", true, nil, 30 * time.Millisecond},
		{"the pool does not follow", false, gethcore.ErrInsufficientFunds, headPatience},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				chain := newForkingChain(t)
				pool := openOn(t, chain, Defaults)
				before, tx := chain.head, ordinary(t, 99, bid(0, 276, 100))
				from, err := types.Sender(types.NewAnzeonSigner(chain.config.ChainID), decoded(t, tx))
				if err != nil {
					t.Fatal(err)
				}
				head := chain.child(t, before, 1)
				chain.states[head.Root].SetBalance(from, uint256.MustFromDecimal("1000000000000000000000000000"), tracing.BalanceChangeUnspecified)
				chain.moveTo(head) // and the pool does not know yet
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
