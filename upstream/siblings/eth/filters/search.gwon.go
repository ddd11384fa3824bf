// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package filters

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/filtermaps"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/rpc"
)

// chainReader is a backend over a chain whose blocks can be searched as they are stored. Other backends, and those of
// chains other than Anzeon, search as upstream does.
type chainReader interface{ BlockChain() *core.BlockChain }

// storedChain returns the chain that is searched as it is stored; nil when there is none.
func (sys *FilterSystem) storedChain() *core.BlockChain {
	if !sys.backend.ChainConfig().IsAnzeon() {
		return nil
	}
	if reader, ok := sys.backend.(chainReader); ok {
		return reader.BlockChain()
	}
	return nil
}

// searchWorkers bounds the processors that all queries together use. One processor stays free for other work.
var searchWorkers = sync.OnceValue(func() chan struct{} {
	return make(chan struct{}, max(1, runtime.GOMAXPROCS(0)-1))
})

// each runs a function for 0 to n-1 on the processors that are free for it, until one run fails. It returns the error
// of the lowest number that failed.
func each(ctx context.Context, n int, do func(i int) error) error {
	var (
		free   = searchWorkers()
		next   atomic.Int64
		failed atomic.Bool
		mu     sync.Mutex
		first  = n
		result error
		wg     sync.WaitGroup
	)
	work := func() {
		for !failed.Load() {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			err := rpc.Pause(ctx)
			if err == nil {
				err = runWith(ctx, free, i, do)
			}
			if err != nil {
				failed.Store(true)
				mu.Lock()
				if i < first {
					first, result = i, err
				}
				mu.Unlock()
			}
		}
	}
	for range min(n, cap(free)) - 1 {
		wg.Go(func() {
			defer rpc.Help(ctx)()
			work()
		})
	}
	work()
	wg.Wait()
	return result
}

// runWith runs do(i) with a permit. It returns a panic as an error because most callers are goroutines of this package,
// where a panic would end the node.
func runWith(ctx context.Context, permits chan struct{}, i int, do func(i int) error) (err error) {
	select {
	case permits <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() {
		<-permits
		if cause := recover(); cause != nil {
			log.Error("Log search crashed", "err", cause, "stack", string(debug.Stack()))
			err = errors.New("log search crashed: the log of the node has the cause")
		}
	}()
	return do(i)
}

// presentIndex is a matcher backend that answers from what is indexed, and does not wait for the indexer.
type presentIndex struct {
	measured
	synced func() filtermaps.SyncRange
}

// SyncLogIndex implements filtermaps.MatcherBackend.
func (p presentIndex) SyncLogIndex(ctx context.Context) (filtermaps.SyncRange, error) {
	return p.synced(), ctx.Err()
}

// matcherBackend returns the backend of a search in the index.
func (f *Filter) matcherBackend() filtermaps.MatcherBackend {
	upstream := f.sys.backend.NewMatcherBackend()
	if now, ok := upstream.(interface{ Synced() filtermaps.SyncRange }); ok && f.sys.storedChain() != nil {
		return presentIndex{measured{upstream}, now.Synced}
	}
	return measured{upstream}
}

// indexed returns the logs in a range of indexed blocks. It searches the stored receipts of the blocks that the index
// names. It also searches the blocks without receipts, which the index cannot know, and fails there unless the header
// excludes the filter.
func (s *searchSession) indexed(r common.Range[uint64]) ([]*types.Log, error) {
	chain := s.filter.sys.storedChain()
	if chain == nil {
		return s.filter.indexedLogs(s.ctx, s.mb, r.First(), r.Last())
	}
	blocks, err := filtermaps.MatchingBlocks(s.ctx, s.mb, r.First(), r.Last(), s.filter.addresses, s.filter.topics,
		func(n int, do func(int) error) error { return each(s.ctx, n, do) })
	if err != nil {
		return nil, err
	}
	if missing := chain.WithoutReceipts(r.First(), r.Last()); len(missing) > 0 {
		blocks = append(blocks, missing...)
		slices.Sort(blocks)
		blocks = slices.Compact(blocks)
	}
	return s.search(chain, len(blocks), func(i int) uint64 { return blocks[i] })
}

// unindexed returns the logs in a range of blocks without help of the index.
func (s *searchSession) unindexed(r common.Range[uint64]) ([]*types.Log, error) {
	chain := s.filter.sys.storedChain()
	if chain == nil {
		return s.filter.unindexedLogs(s.ctx, s.chainView, r.First(), r.Last())
	}
	if r.Last() > s.chainView.HeadNumber() {
		return nil, errInvalidBlockRange
	}
	return s.search(chain, int(r.Count()), func(i int) uint64 { return r.First() + uint64(i) })
}

// search returns the logs in n blocks of the session's chain, of which number names the i-th.
func (s *searchSession) search(chain *core.BlockChain, n int, number func(i int) uint64) ([]*types.Log, error) {
	filter := core.NewLogFilter(s.filter.addresses, s.filter.topics)
	found := make([][]*types.Log, n)
	mayHave := func(bloom types.Bloom) bool { return bloomFilter(bloom, s.filter.addresses, s.filter.topics) }
	if err := each(s.ctx, n, func(i int) error {
		if chain.ExcludesLogs(s.chainView.BlockHash(number(i)), number(i), mayHave) {
			return nil
		}
		header := s.chainView.Header(number(i))
		if header == nil {
			return fmt.Errorf("header of block %d is not in the database", number(i))
		}
		var err error
		found[i], err = s.filter.storedLogs(s.ctx, chain, header, filter)
		return err
	}); err != nil {
		return nil, err
	}
	return slices.Concat(found...), nil
}

// storedLogs returns the logs of a block that a filter asks for.
func (f *Filter) storedLogs(
	ctx context.Context, chain *core.BlockChain, header *types.Header, filter *core.LogFilter,
) ([]*types.Log, error) {
	if header.ReceiptHash == types.EmptyReceiptsHash || !bloomFilter(header.Bloom, f.addresses, f.topics) {
		return nil, nil
	}
	logs, err := chain.FilterLogs(header, filter)
	if err != nil {
		return nil, err
	}
	return logs, spend(ctx, logs...)
}

// matchesOf returns the logs of a block whose header does not exclude the filter.
func (f *Filter) matchesOf(ctx context.Context, header *types.Header) ([]*types.Log, error) {
	chain := f.sys.storedChain()
	if chain == nil {
		return f.checkMatches(ctx, header)
	}
	var logs []*types.Log
	err := each(ctx, 1, func(int) (err error) {
		logs, err = f.storedLogs(ctx, chain, header, core.NewLogFilter(f.addresses, f.topics))
		return err
	})
	return logs, err
}
