// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package senderindex

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/event"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/internal/feed"
)

const (
	// stepBlocks is how many blocks one write of the index covers at most. A new head waits for one step.
	stepBlocks = 500

	// recentBlocks is how many blocks at the head a lookup reads itself while the index has not come to them.
	recentBlocks = 8

	retryInterval = time.Minute
)

// Chain is the part of *core.BlockChain that the index reads.
type Chain interface {
	SubscribeChainHeadEvent(ch chan<- gethcore.ChainHeadEvent) event.Subscription
	CurrentBlock() *types.Header
	GetCanonicalHash(number uint64) common.Hash
	GetBlockByNumber(number uint64) *types.Block
	HistoryPruningCutoff() (uint64, common.Hash)
}

// Index is the index of sender hashes of one chain.
type Index struct {
	chain Chain
	db    ethdb.Database // of the chain
	table table
	limit uint64 // newest blocks that are indexed; 0 for all

	mu   sync.RWMutex
	span span
	head uint64 // the newest that the index was told of
}

// New opens the index in the database of a chain. limit is the number of newest blocks to index, 0 for all of them.
func New(db ethdb.Database, chain Chain, limit uint64) (*Index, error) {
	x := &Index{chain: chain, db: db, table: table{rawdb.NewTable(db, Prefix)}, limit: limit,
		head: chain.CurrentBlock().Number.Uint64()}
	var err error
	if x.span, err = x.table.readSpan(); err != nil {
		return nil, fmt.Errorf("%w: remove the data directory's chain with gwon removedb, and sync again", err)
	}
	return x, nil
}

// Find returns the hash of the mined transaction of type 0x16 that contains the type-2 transaction with this hash,
// the zero hash if none is known. The result done reports whether the index is complete. Only then the zero hash
// means that there is none.
func (x *Index) Find(senderHash common.Hash) (hash common.Hash, done bool, err error) {
	hash, err = x.table.row(senderHash)
	if err != nil || hash != (common.Hash{}) {
		return hash, true, err
	}
	x.mu.RLock()
	span, known := x.span, x.head
	x.mu.RUnlock()

	head := x.chain.CurrentBlock().Number.Uint64()
	from := span.To
	if head >= recentBlocks {
		from = max(from, head-recentBlocks+1)
	}
	for number := from; number <= head; number++ {
		block := x.chain.GetBlockByNumber(number)
		if block == nil {
			break
		}
		for _, tx := range block.Transactions() {
			if h := tx.SenderTransactionHash(); h != nil && *h == senderHash {
				return tx.Hash(), true, nil
			}
		}
	}
	begin, err := x.begin(known)
	if err != nil {
		return common.Hash{}, false, err
	}
	return common.Hash{}, span.From <= begin && span.To+recentBlocks > head, nil
}

// Indexed returns the number of the first block in the index and the number behind the last one.
func (x *Index) Indexed() (first, after uint64) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.span.From, x.span.To
}

// begin returns the oldest block to index while the chain has this head: the limit says so, or older bodies are gone.
func (x *Index) begin(head uint64) (uint64, error) {
	var from uint64
	if x.limit != 0 && head >= x.limit {
		from = head - x.limit + 1
	}
	cutoff, _ := x.chain.HistoryPruningCutoff()
	from = max(from, cutoff)
	tail, err := x.db.Tail(rawdb.ChainFreezerBlockDataGroup)
	if err != nil {
		return 0, fmt.Errorf("read where the history in the ancient store begins: %w", err)
	}
	return min(max(from, tail), head+1), nil
}

// Run keeps the index until ctx ends. It is called once.
func (x *Index) Run(ctx context.Context) {
	heads, sub := feed.Relay(x.chain.SubscribeChainHeadEvent, 1)
	defer sub.Unsubscribe()
	head := x.chain.CurrentBlock()
	retry := time.NewTimer(0)
	defer retry.Stop()
	for {
		more, err := x.step(ctx.Done(), head)
		switch {
		case errors.Is(err, errStopped):
			return
		case err != nil:
			log.Error("Index of sender hashes not extended", "head", head.Number, "err", err)
			more = false
			retry.Reset(retryInterval)
		}
		if more { // the newest head first
			select {
			case event := <-heads:
				head = event.Header
			case <-ctx.Done():
				return
			default:
			}
			continue
		}
		select {
		case event := <-heads:
			head = event.Header
		case <-retry.C:
		case <-ctx.Done():
			return
		case err := <-sub.Err():
			if err != nil {
				log.Error("Index of sender hashes ended", "err", err)
			}
			return
		}
	}
}

// step writes one batch towards an index of the chain with this head, newest blocks first, and reports whether there is
// more to do.
func (x *Index) step(stop <-chan struct{}, head *types.Header) (more bool, err error) {
	number := head.Number.Uint64()
	x.mu.Lock()
	x.head = number
	x.mu.Unlock()
	begin, err := x.begin(number)
	if err != nil {
		return false, err
	}
	s := x.current(number)
	switch {
	case s.To <= number:
		return true, x.add(s, s.To, min(s.To+stepBlocks, number+1))
	case s.From > begin:
		return true, x.add(s, max(begin, s.From-min(s.From, stepBlocks)), s.From)
	case s.From < begin:
		return true, x.prune(stop, s, begin)
	}
	return false, nil
}

// current returns the range of the index that fits a chain with this head. The range starts again at the head after a
// rewind, and when more blocks are missing than present, as after a snap sync.
func (x *Index) current(head uint64) span {
	s := x.span
	fits := s.From < s.To && s.To <= head+1 && x.chain.GetCanonicalHash(s.To-1) == s.Last
	if !fits || head+1-s.To > max(s.To-s.From, stepBlocks) {
		return span{From: head + 1, To: head + 1}
	}
	return s
}

// add indexes the blocks from <= number < to, which touch the range s at one of its ends.
func (x *Index) add(s span, from, to uint64) error {
	batch := x.table.db.NewBatch()
	last := s.Last
	for number := from; number < to; number++ {
		hash := x.chain.GetCanonicalHash(number)
		err := delegated(x.db, hash, number, func(tx *types.Transaction) error {
			return putRow(batch, *tx.SenderTransactionHash(), number, tx.Hash())
		})
		if err != nil {
			return err
		}
		if number+1 > s.To || s.From == s.To {
			last = hash
		}
	}
	return x.write(batch, span{From: min(s.From, from), To: max(s.To, to), Last: last})
}

// prune takes the oldest blocks of the range s, up to begin, out of the index.
func (x *Index) prune(stop <-chan struct{}, s span, begin uint64) error {
	next := span{From: min(s.From+stepBlocks, begin), To: s.To, Last: s.Last}
	batch := x.table.db.NewBatch()
	for number := s.From; number < next.From; number++ {
		err := delegated(x.db, x.chain.GetCanonicalHash(number), number, func(tx *types.Transaction) error {
			return batch.Delete(rowKey(*tx.SenderTransactionHash()))
		})
		if errors.Is(err, errNoBody) { // dropped with the history
			if err := x.table.sweep(begin, stop); err != nil {
				return err
			}
			next.From = begin
			break
		}
		if err != nil {
			return err
		}
	}
	return x.write(batch, next)
}

func (x *Index) write(batch ethdb.Batch, s span) error {
	if err := writeSpan(batch, s); err != nil {
		return err
	}
	if err := batch.Write(); err != nil {
		return err
	}
	x.mu.Lock()
	x.span = s
	x.mu.Unlock()
	return nil
}

var errNoBody = errors.New("the body is not stored")

// delegated calls f for the transactions of type 0x16 in a stored block. It decodes no others.
func delegated(db ethdb.Database, hash common.Hash, number uint64, f func(*types.Transaction) error) error {
	body := rawdb.ReadBodyRLP(db, hash, number)
	if len(body) == 0 {
		return fmt.Errorf("block %d: %w", number, errNoBody)
	}
	fail := func(err error) error { return fmt.Errorf("stored body of block %d: %w", number, err) }
	items, _, err := rlp.SplitList(body)
	if err != nil {
		return fail(err)
	}
	txs, _, err := rlp.SplitList(items)
	if err != nil {
		return fail(err)
	}
	for len(txs) > 0 {
		kind, content, rest, err := rlp.Split(txs)
		if err != nil {
			return fail(err)
		}
		txs = rest
		if kind == rlp.List || len(content) == 0 || content[0] != types.FeeDelegateTxType {
			continue
		}
		tx := new(types.Transaction)
		if err := tx.UnmarshalBinary(content); err != nil {
			return fail(err)
		}
		if err := f(tx); err != nil {
			return err
		}
	}
	return nil
}
