// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package senderindex

import (
	"context"
	"math/big"
	"math/rand"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/event"
	"pgregory.net/rapid"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// testChain is a chain that grows and is rewound in a database of its own.
type testChain struct {
	db     ethdb.Database
	head   *types.Header
	blocks []*types.Block
	heads  event.Feed
	cutoff uint64
	fork   byte // makes the blocks after a rewind different
}

func newTestChain(t failer) *testChain {
	t.Helper()
	store := must.Get(rawdb.Open(rawdb.NewMemoryDatabase(), rawdb.OpenOptions{}))(t)
	t.Cleanup(func() { expect.Error(t, store.Close(), nil, "close") })
	c := &testChain{db: store}
	c.add(0)
	return c
}

// add appends a block with one plain transaction and n of type 0x16.
func (c *testChain) add(n int) {
	number := uint64(len(c.blocks))
	txs := types.Transactions{types.NewTx(&types.LegacyTx{Nonce: number})}
	for i := range n {
		txs = append(txs, types.NewTx(&types.FeeDelegateTx{
			SenderTx: types.DynamicFeeTx{ChainID: big.NewInt(8283), Nonce: number, Gas: uint64(i), Data: []byte{c.fork}},
			FeePayer: &common.Address{1},
		}))
	}
	header := &types.Header{Number: new(big.Int).SetUint64(number), Difficulty: new(big.Int), Extra: []byte{c.fork}}
	block := types.NewBlockWithHeader(header).WithBody(types.Body{Transactions: txs})
	rawdb.WriteBlock(c.db, block)
	rawdb.WriteCanonicalHash(c.db, block.Hash(), number)
	c.blocks = append(c.blocks, block)
	c.head = block.Header()
}

// rewind makes block number the head; the blocks that follow will be others.
func (c *testChain) rewind(number uint64) {
	for n := number + 1; n < uint64(len(c.blocks)); n++ {
		rawdb.DeleteCanonicalHash(c.db, n)
	}
	c.blocks = c.blocks[:number+1]
	c.head = c.blocks[number].Header()
	c.fork++
}

func (c *testChain) SubscribeChainHeadEvent(ch chan<- gethcore.ChainHeadEvent) event.Subscription {
	return c.heads.Subscribe(ch)
}
func (c *testChain) CurrentBlock() *types.Header { return c.head }
func (c *testChain) GetCanonicalHash(number uint64) common.Hash {
	return rawdb.ReadCanonicalHash(c.db, number)
}
func (c *testChain) GetBlockByNumber(number uint64) *types.Block {
	if number >= uint64(len(c.blocks)) {
		return nil
	}
	return c.blocks[number]
}
func (c *testChain) HistoryPruningCutoff() (uint64, common.Hash) { return c.cutoff, common.Hash{} }

type failer interface {
	Helper()
	Cleanup(func())
	Fatal(...any)
	Errorf(string, ...any)
}

func open(t failer, c *testChain, limit uint64) *Index {
	t.Helper()
	return must.Get(New(c.db, c, limit))(t)
}

// finish takes steps until none is left, at most as many as the chain can need.
func finish(t failer, x *Index, c *testChain) {
	t.Helper()
	for range 4 * (len(c.blocks)/stepBlocks + 2) {
		more := must.Get(x.step(nil, c.head))(t)
		if !more {
			return
		}
	}
	t.Fatal("the index does not come to an end")
}

// check compares the rows with the blocks from the given one on. Rows of blocks before must be gone.
func check(t failer, x *Index, c *testChain, from uint64) {
	t.Helper()
	rows := 0
	for _, block := range c.blocks {
		for _, tx := range block.Transactions() {
			hash := tx.SenderTransactionHash()
			if hash == nil {
				continue
			}
			row := must.Get(x.table.row(*hash))(t)
			want := common.Hash{}
			if block.NumberU64() >= from {
				want, rows = tx.Hash(), rows+1
			}
			expect.Equal(t, row, want, "block %d of %d: row", block.NumberU64(), c.head.Number)
			if found, done, err := x.Find(*hash); err != nil || !done || (want != common.Hash{} && found != want) {
				t.Errorf("block %d: found %v, done %v, error %v", block.NumberU64(), found, done, err)
			}
		}
	}
	it := x.table.db.NewIterator(rowPrefix, nil)
	defer it.Release()
	n := 0
	for it.Next() {
		n++
	}
	if c.fork == 0 && n != rows { // blocks that a rewind removed leave their rows
		t.Errorf("%d rows, want %d", n, rows)
	}
}

// TestIndexesOldBlocksBackwards builds the index of a chain that is there already, as after an import or a snap sync.
func TestIndexesOldBlocksBackwards(t *testing.T) {
	c := newTestChain(t)
	for i := range 3*stepBlocks + 8 {
		c.add(i % 2)
	}
	x := open(t, c, 0)
	oldest := *c.blocks[2].Transactions()[1].SenderTransactionHash()
	must.Get(x.step(nil, c.head))(t)
	newest := c.blocks[len(c.blocks)-1].Transactions()
	if found, _, err := x.Find(*newest[len(newest)-1].SenderTransactionHash()); err != nil || found == (common.Hash{}) {
		t.Errorf("the newest transaction is not found after the first step: %v", err)
	}
	if found, done, err := x.Find(oldest); found != (common.Hash{}) || done || err != nil {
		t.Errorf("an old one before its step: found %v, done %v, error %v", found, done, err)
	}
	finish(t, x, c)
	check(t, x, c, 0)
	if found, done, err := x.Find(common.Hash{1}); found != (common.Hash{}) || !done || err != nil {
		t.Errorf("unknown hash: found %v, done %v, error %v", found, done, err)
	}
}

// TestLimitMoves prunes rows when the limit is lowered and indexes again when it is raised.
func TestLimitMoves(t *testing.T) {
	c := newTestChain(t)
	for range 1200 {
		c.add(1)
	}
	for _, limit := range []uint64{0, 900, 10, 1, 700, 5000, 0} {
		x := open(t, c, limit)
		finish(t, x, c)
		from := uint64(0)
		if limit != 0 && limit <= 1201 {
			from = 1201 - limit
		}
		check(t, x, c, from)
	}
}

// TestPrunedBodies takes rows out whose blocks are no longer stored.
func TestPrunedBodies(t *testing.T) {
	c := newTestChain(t)
	for range 700 {
		c.add(1)
	}
	x := open(t, c, 0)
	finish(t, x, c)
	for n := uint64(1); n < 600; n++ {
		rawdb.DeleteBody(c.db, c.blocks[n].Hash(), n)
	}
	c.cutoff = 600
	x = open(t, c, 0)
	finish(t, x, c)
	check(t, x, c, 600)
}

// TestMissingBodyIsAnError reports a block that should be stored and is not, and indexes it once it is.
func TestMissingBodyIsAnError(t *testing.T) {
	c := newTestChain(t)
	c.add(1)
	c.add(1)
	body := rawdb.ReadBody(c.db, c.blocks[1].Hash(), 1)
	rawdb.DeleteBody(c.db, c.blocks[1].Hash(), 1)
	x := open(t, c, 0)
	expect.Refused(t, expect.Err(x.step(nil, c.head)), "a missing body is not an error")
	rawdb.WriteBody(c.db, c.blocks[1].Hash(), 1, body)
	finish(t, x, c)
	check(t, x, c, 0)
}

// TestDamagedTableIsNamed refuses a range or a row that the index cannot have written.
func TestDamagedTableIsNamed(t *testing.T) {
	c := newTestChain(t)
	x := open(t, c, 0)
	must.Do(t, x.table.db.Put(rowKey(common.Hash{1}), []byte{1, 2}))
	_, _, err := x.Find(common.Hash{1})
	expect.Refused(t, err, "a row of two bytes is taken for one")
	for _, damage := range [][]byte{{1}, {0xc3, 2, 1, 0x80}} {
		must.Do(t, x.table.db.Put(spanKey, damage))
		expect.Refused(t, expect.Err(New(c.db, c, 0)), "range %x is accepted", damage)
	}
}

// TestAnyHistory grows, rewinds, prunes and restarts at random, also in the middle of the work, which is a kill: what
// was not written is lost.
func TestAnyHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newTestChain(t)
		limit := rapid.SampledFrom([]uint64{0, 1, 30, 600}).Draw(t, "limit")
		x := open(t, c, limit)
		t.Repeat(map[string]func(*rapid.T){
			"grow": func(t *rapid.T) {
				for range rapid.SampledFrom([]int{1, 3, 700}).Draw(t, "blocks") {
					c.add(len(c.blocks) % 2)
				}
			},
			"rewind": func(t *rapid.T) {
				c.rewind(uint64(rapid.IntRange(0, len(c.blocks)-1).Draw(t, "to")))
			},
			"step": func(t *rapid.T) {
				must.Get(x.step(nil, c.head))(t)
			},
			"restart": func(t *rapid.T) {
				limit = rapid.SampledFrom([]uint64{0, 1, 30, 600}).Draw(t, "limit")
				x = open(t, c, limit)
			},
		})
		finish(t, x, c)
		from, head := uint64(0), c.head.Number.Uint64()
		if limit != 0 && head >= limit {
			from = head - limit + 1
		}
		for n := from; n <= head; n++ {
			for _, tx := range c.blocks[n].Transactions() {
				if hash := tx.SenderTransactionHash(); hash != nil {
					if found, done, err := x.Find(*hash); found != tx.Hash() || !done || err != nil {
						t.Errorf("block %d of %d: found %v, done %v, error %v", n, head, found, done, err)
					}
				}
			}
		}
	})
}

// TestReplacedBlocksAreIndexedAgain rewinds the chain and grows it beyond its old head before the index takes a step.
func TestReplacedBlocksAreIndexedAgain(t *testing.T) {
	c := newTestChain(t)
	for range 20 {
		c.add(1)
	}
	x := open(t, c, 0)
	finish(t, x, c)
	c.rewind(5)
	for range 30 {
		c.add(1)
	}
	finish(t, x, c)
	check(t, x, c, 0)
}

// TestRecentBlocksAreRead finds transactions of the newest blocks before the index has come to them.
func TestRecentBlocksAreRead(t *testing.T) {
	c := newTestChain(t)
	c.add(1)
	x := open(t, c, 0)
	finish(t, x, c)
	for range recentBlocks {
		c.add(1)
	}
	for _, block := range c.blocks[1:] {
		tx := block.Transactions()[1]
		if found, done, err := x.Find(*tx.SenderTransactionHash()); found != tx.Hash() || !done || err != nil {
			t.Errorf("block %d: found %v, done %v, error %v", block.NumberU64(), found, done, err)
		}
	}
}

// TestRunFollowsHeads keeps the index while blocks come, and ends with its context.
func TestRunFollowsHeads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newTestChain(t)
		for range 600 {
			c.add(1)
		}
		x := open(t, c, 0)
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { x.Run(ctx); close(done) }()
		synctest.Wait()
		check(t, x, c, 0)
		for range 50 {
			for range 1 + rand.Intn(3) {
				c.add(1)
			}
			c.heads.Send(gethcore.ChainHeadEvent{Header: c.head})
			synctest.Wait()
		}
		check(t, x, c, 0)

		body := rawdb.ReadBody(c.db, c.head.Hash(), c.head.Number.Uint64())
		c.add(1)
		rawdb.DeleteBody(c.db, c.head.Hash(), c.head.Number.Uint64())
		c.heads.Send(gethcore.ChainHeadEvent{Header: c.head})
		synctest.Wait()
		body.Transactions = c.blocks[len(c.blocks)-1].Transactions()
		rawdb.WriteBody(c.db, c.head.Hash(), c.head.Number.Uint64(), body)
		time.Sleep(retryInterval + time.Second) // in simulated time
		synctest.Wait()
		check(t, x, c, 0)
		cancel()
		<-done
	})
}
