// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package filters

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
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

// storedChain returns the chain whose blocks are searched as they are stored; nil when there is none. Other backends,
// and those of chains other than Anzeon, search as upstream does.
func (sys *FilterSystem) storedChain() *core.BlockChain {
	reader, ok := sys.backend.(interface{ BlockChain() *core.BlockChain })
	if !ok || !sys.backend.ChainConfig().IsAnzeon() {
		return nil
	}
	return reader.BlockChain()
}

// searchWorkers bounds the processors that all queries together use. One processor stays free for other work.
var searchWorkers = sync.OnceValue(func() chan struct{} {
	return make(chan struct{}, max(1, runtime.GOMAXPROCS(0)-1))
})

// each runs a function for 0 to n-1 on free processors until one run fails, and returns the error of the lowest number.
func each(ctx context.Context, n int, do func(i int) error) error {
	var (
		next   atomic.Int64
		failed atomic.Bool
		wg     sync.WaitGroup
		errs   = make([]error, n)
	)
	work := func() {
		for !failed.Load() {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			if errs[i] = runWith(ctx, i, do); errs[i] != nil {
				failed.Store(true)
			}
		}
	}
	for range min(n, cap(searchWorkers())) - 1 {
		wg.Go(func() {
			defer rpc.Help(ctx)()
			work()
		})
	}
	work()
	wg.Wait()
	return cmp.Or(errs...)
}

// runWith runs do(i) with a permit, between two pauses. It returns a panic as an error because most callers are
// goroutines of this package, where a panic would end the node.
func runWith(ctx context.Context, i int, do func(i int) error) (err error) {
	if err := rpc.Pause(ctx); err != nil {
		return err
	}
	permits := searchWorkers()
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

// matcher takes the logs of a backend off the allowance of a query. With synced it does not wait for the indexer.
type matcher struct {
	filtermaps.MatcherBackend
	synced func() filtermaps.SyncRange
}

// GetLogByLvIndex implements filtermaps.MatcherBackend.
func (m matcher) GetLogByLvIndex(ctx context.Context, index uint64) (*types.Log, error) {
	l, err := m.MatcherBackend.GetLogByLvIndex(ctx, index)
	if err == nil && l != nil {
		err = spend(ctx, l)
	}
	return l, err
}

// SyncLogIndex implements filtermaps.MatcherBackend.
func (m matcher) SyncLogIndex(ctx context.Context) (filtermaps.SyncRange, error) {
	if m.synced == nil {
		return m.MatcherBackend.SyncLogIndex(ctx)
	}
	return m.synced(), ctx.Err()
}

// matcherBackend returns the backend of a search in the index.
func (f *Filter) matcherBackend() filtermaps.MatcherBackend {
	m := matcher{MatcherBackend: f.sys.backend.NewMatcherBackend()}
	if now, ok := m.MatcherBackend.(interface{ Synced() filtermaps.SyncRange }); ok && f.sys.storedChain() != nil {
		m.synced = now.Synced
	}
	return m
}

// indexed returns the logs in a range of indexed blocks, from stored receipts. It also searches blocks without
// receipts, which the index cannot know, and fails there unless the header excludes the filter.
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

// settle moves the end of a query on an Anzeon chain down to the head, as go-stablenet does. It reports whether the
// query is done without a search: a query that begins above the head has no logs, and a query that ends before it
// begins, also by its tags, is an error (spec rpc 2.6). math.MaxUint64 stands for the head.
func (f *Filter) settle(begin uint64, end *uint64) (done bool, err error) {
	if !f.sys.backend.ChainConfig().IsAnzeon() {
		return false, nil
	}
	head := f.sys.backend.CurrentHeader().Number.Uint64()
	// From the tag of the head to the head's number would be a search backwards.
	if *end > head || *end == head && begin == math.MaxUint64 {
		*end = math.MaxUint64
	}
	if begin > head && begin != math.MaxUint64 {
		return true, nil
	}
	if first, last := f.resolved(begin), f.resolved(*end); first > last {
		const text = "invalid block range params: fromBlock is block %d and above toBlock, which is block %d"
		return true, invalidParamsErr(text, first, last)
	}
	return false, nil
}

// resolved returns the number of the block that a bound of a query stands for. The limit for ranges on an Anzeon chain
// is measured between these numbers because a query up to the head would otherwise always exceed it.
func (f *Filter) resolved(number uint64) uint64 {
	if number != math.MaxUint64 || !f.sys.backend.ChainConfig().IsAnzeon() {
		return number
	}
	return f.sys.backend.CurrentHeader().Number.Uint64()
}
