// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package light

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth/filters"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
)

// idleTime is how long a filter that is not asked is kept, as by a node, and how long a submission is remembered: a
// sender whose transaction was dropped can send again after that.
const idleTime = 5 * time.Minute

var (
	errNoFilter    = errors.New("filter not found") // the text by which clients make a new one
	errNoLogFilter = errors.New("the filter is one of blocks, which has no logs: ask eth_getFilterChanges")
)

// filter is a question that a client repeats. What is new since the last answer is read and proven when it is asked
// for, so that a filter holds no answers.
type filter struct {
	query *filters.FilterCriteria // nil for the hashes of blocks
	asked time.Time               // guarded by the table

	mu    sync.Mutex // held while the filter is asked
	first uint64     // block that is answered next
	last  uint64     // block that is answered at last
}

// filterTable has the filters of all clients. Its zero value is empty.
type filterTable struct {
	mu   sync.Mutex
	list map[gethrpc.ID]*filter
}

// add puts a filter into the table, unless there are too many.
func (t *filterTable) add(f *filter) (gethrpc.ID, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.drop()
	if len(t.list) >= maxSubscriptions {
		return "", fmt.Errorf("there are %d filters, as many as are kept: remove some with eth_uninstallFilter",
			maxSubscriptions)
	}
	if t.list == nil {
		t.list = make(map[gethrpc.ID]*filter)
	}
	id := gethrpc.NewID()
	f.asked = time.Now()
	t.list[id] = f
	return id, nil
}

// find returns a filter, which is kept for some time more.
func (t *filterTable) find(id gethrpc.ID) (*filter, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.drop()
	f := t.list[id]
	if f == nil {
		return nil, errNoFilter
	}
	f.asked = time.Now()
	return f, nil
}

// remove takes a filter from the table, and reports whether it was there.
func (t *filterTable) remove(id gethrpc.ID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.drop()
	_, found := t.list[id]
	delete(t.list, id)
	return found
}

// drop forgets filters that were not asked for long. The lock is held.
func (t *filterTable) drop() {
	maps.DeleteFunc(t.list, func(_ gethrpc.ID, f *filter) bool { return time.Since(f.asked) >= idleTime })
}

// NewBlockFilter implements eth_newBlockFilter.
func (m *methods) NewBlockFilter() (gethrpc.ID, error) {
	head, err := m.e.tip.Head()
	if err != nil {
		return "", err
	}
	return m.e.filters.add(&filter{first: head.Number.Uint64() + 1, last: math.MaxUint64})
}

// NewFilter implements eth_newFilter.
func (m *methods) NewFilter(ctx context.Context, query filters.FilterCriteria) (gethrpc.ID, error) {
	first, last, err := m.e.newLogs(ctx, query)
	if err != nil {
		return "", err
	}
	return m.e.filters.add(&filter{query: &query, first: first, last: last})
}

// newLogs returns the first and the last block of which a filter or subscription has logs: blocks of the query that are
// newer than the newest one.
func (e *Endpoint) newLogs(ctx context.Context, query filters.FilterCriteria) (first, last uint64, err error) {
	if err := checkCriteria(query); err != nil {
		return 0, 0, err
	}
	if query.BlockHash != nil {
		return 0, 0, invalid("a filter is about new blocks: give no blockHash, or ask eth_getLogs")
	}
	v, err := e.view(ctx)
	if err != nil {
		return 0, 0, err
	}
	if first, err = v.bound(query.FromBlock); err != nil {
		return 0, 0, err
	}
	last = math.MaxUint64
	if query.ToBlock != nil {
		if last, err = v.bound(query.ToBlock); err != nil {
			return 0, 0, err
		}
		if first > last {
			return 0, 0, invalid("invalid block range params: fromBlock %d is above toBlock %d", first, last)
		}
		if query.ToBlock.Sign() < 0 {
			last = math.MaxUint64 // latest goes on with the chain
		}
	}
	return max(first, v.head.Number.Uint64()+1), last, nil
}

// UninstallFilter implements eth_uninstallFilter.
func (m *methods) UninstallFilter(id gethrpc.ID) bool { return m.e.filters.remove(id) }

// GetFilterLogs implements eth_getFilterLogs.
func (m *methods) GetFilterLogs(ctx context.Context, id gethrpc.ID) ([]*types.Log, error) {
	f, err := m.e.filters.find(id)
	if err != nil {
		return nil, err
	}
	if f.query == nil {
		return nil, errNoLogFilter
	}
	return m.GetLogs(ctx, *f.query)
}

// GetFilterChanges implements eth_getFilterChanges. What cannot be read now is answered later: a filter leaves nothing
// out.
func (m *methods) GetFilterChanges(ctx context.Context, id gethrpc.ID) (any, error) {
	f, err := m.e.filters.find(id)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	v, leave, err := m.e.viewInTurn(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	headers, err := v.after(f.first, f.last)
	if err != nil {
		return nil, err
	}
	if f.query != nil {
		logs, blocks, err := m.e.logsOf(v, headers, *f.query)
		if err != nil && blocks == 0 {
			return nil, err
		}
		f.first += uint64(blocks) //nolint:gosec // a count
		return logs, nil
	}
	hashes := make([]common.Hash, len(headers))
	for i, h := range headers {
		hashes[i] = h.Hash()
	}
	f.first += uint64(len(headers))
	return hashes, nil
}

// after returns the headers from one block to another as far as they are proven, at most MaxLogBlocks.
func (v *view) after(first, last uint64) ([]*types.Header, error) {
	last = min(last, v.head.Number.Uint64())
	if first > last {
		return nil, nil
	}
	last = min(last, first+MaxLogBlocks-1)
	header, err := v.HeaderByNumber(v.ctx, gethrpc.BlockNumber(last))
	if err != nil {
		return nil, err
	}
	return v.link(header, first)
}
