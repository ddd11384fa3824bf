// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package filters

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common/lru"
	"github.com/ethereum/go-ethereum/core/filtermaps"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"
)

// Sizes in JSON, in bytes, without what has a variable length.
const (
	logSize   = 465 // of a log; each topic adds topicSize, each byte of data two
	topicSize = 69
	hashSize  = 69
	txSize    = 1200 // of a transaction; each of its encoded bytes adds two
)

var errAnswerSize = errors.New("the answer is too large")

// Allowance is how many bytes of logs one query may still collect.
type Allowance struct{ left atomic.Int64 }

type allowanceKey struct{}

// WithAllowance bounds what a query with the returned context collects, in bytes of its answer. The query fails as soon
// as there is more.
func WithAllowance(ctx context.Context, bytes int) (context.Context, *Allowance) {
	a := new(Allowance)
	a.left.Store(int64(bytes))
	return context.WithValue(ctx, allowanceKey{}, a), a
}

// Exceeded reports whether a query has failed because it had more.
func (a *Allowance) Exceeded() bool { return a.left.Load() < 0 }

// spend takes logs off the allowance of a query, if it has one.
func spend(ctx context.Context, logs ...*types.Log) error {
	a, _ := ctx.Value(allowanceKey{}).(*Allowance)
	if a == nil {
		return nil
	}
	for _, l := range logs {
		if a.left.Add(-int64(sizeOfLog(l))) < 0 {
			return errAnswerSize
		}
	}
	return nil
}

func sizeOfLog(l *types.Log) int { return logSize + topicSize*len(l.Topics) + 2*len(l.Data) }

// measured is a matcher backend whose logs are taken off the allowance of a query.
type measured struct{ filtermaps.MatcherBackend }

// GetLogByLvIndex implements filtermaps.MatcherBackend.
func (m measured) GetLogByLvIndex(ctx context.Context, index uint64) (*types.Log, error) {
	l, err := m.MatcherBackend.GetLogByLvIndex(ctx, index)
	if err == nil && l != nil {
		err = spend(ctx, l)
	}
	return l, err
}

// Bounds are those of what one filter holds between two polls. How many filters, addresses and topics owners may have
// is for the door.
type Bounds struct {
	Items int // hashes, transactions or logs
	Bytes int // of the answer to the next poll
}

// maxOverflowed is of how many filters it is remembered that they held too much.
const maxOverflowed = 1024

// BoundedAPI is a FilterAPI whose filters are bounded in number and in what they hold. Both are counted by a door.
type BoundedAPI struct {
	*FilterAPI
	door   rpc.Door
	bounds Bounds

	mu         sync.Mutex // taken before the one of the FilterAPI
	held       map[rpc.ID]*watch
	watches    map[*watch]struct{} // for logs, of filters and subscriptions
	overflowed lru.BasicLRU[rpc.ID, struct{}]
}

// watch is a filter of an owner, or a subscription to logs.
type watch struct {
	owner        rpc.Owner
	criteria     int           // addresses and topics that each new log is compared with
	shares       []rpc.Share   // of criteria and filters
	owed         time.Duration // for comparisons
	items, bytes int           // of a filter since it was polled
}

// NewBoundedAPI returns the service over a filter system. What filters hold is counted once a second.
func NewBoundedAPI(system *FilterSystem, door rpc.Door, bounds Bounds) *BoundedAPI {
	b := &BoundedAPI{FilterAPI: NewFilterAPI(system), door: door, bounds: bounds, held: make(map[rpc.ID]*watch),
		watches: make(map[*watch]struct{}), overflowed: lru.NewBasicLRU[rpc.ID, struct{}](maxOverflowed)}
	go b.loop()
	return b
}

func (b *BoundedAPI) loop() {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	logs := make(chan []*types.Log, logsWaiting)
	sub := b.sys.backend.SubscribeLogsEvent(logs)
	defer sub.Unsubscribe()
	for {
		select {
		case <-ticker.C:
			b.count()
		case list := <-logs:
			b.charge(len(list))
		case <-b.events.chainSub.Err(): //nolint:errcheck // the chain is closing
			return
		}
	}
}

// begin counts a new watch of an owner, for logs if there is a query, unless there are too many. The mutex is held, so
// that none is displaced before it is made.
func (b *BoundedAPI) begin(owner rpc.Owner, query *FilterCriteria, filters int, evict func()) (*watch, error) {
	w := &watch{owner: owner}
	if query != nil {
		w.criteria = criteriaOf(*query)
		b.watches[w] = struct{}{}
	}
	for _, of := range []struct {
		resource rpc.Resource
		n        int
		name     string
	}{
		{rpc.Criteria, w.criteria, "addresses and topics of filters and subscriptions"}, {rpc.Filters, filters, "filters"},
	} {
		share := b.door.Share(of.resource, owner, evict)
		w.shares = append(w.shares, share)
		if err := share.Add(of.n); err != nil {
			b.end(w)
			return nil, &rpc.Refusal{Code: rpc.CodeLimit, Text: fmt.Sprintf("no more %s: %v", of.name, err)}
		}
	}
	return w, nil
}

// end ends the count of a watch. The mutex is held.
func (b *BoundedAPI) end(w *watch) {
	delete(b.watches, w)
	for _, share := range w.shares {
		share.Release()
	}
}

// Install has a filter of an owner made, for logs if there is a query, if there is room for one more. A filter of the
// owner with most leaves where there is no more room.
func (b *BoundedAPI) Install(
	owner rpc.Owner, query *FilterCriteria, install func() (rpc.ID, error),
) (id rpc.ID, err error) {
	var made rpc.ID // set below, before another can need the place
	b.mu.Lock()
	defer b.mu.Unlock()
	w, err := b.begin(owner, query, 1, func() { go b.UninstallFilter(made) })
	if err != nil {
		return "", err
	}
	if id, err = install(); err != nil {
		b.end(w)
		return id, err
	}
	made = id
	b.held[id] = w
	return id, nil
}

// UninstallFilter implements eth_uninstallFilter.
func (b *BoundedAPI) UninstallFilter(id rpc.ID) bool {
	b.mu.Lock()
	b.forget(id)
	b.mu.Unlock()
	return b.FilterAPI.UninstallFilter(id)
}

// forget ends the count of a filter. The mutex is held.
func (b *BoundedAPI) forget(id rpc.ID) {
	if w := b.held[id]; w != nil {
		delete(b.held, id)
		b.end(w)
	}
}

// criteriaOf returns the number of addresses and topics of a query.
func criteriaOf(query FilterCriteria) int {
	criteria := len(query.Addresses)
	for _, topics := range query.Topics {
		criteria += len(topics)
	}
	return criteria
}

// SubscribeLogs is Logs for an owner whose addresses and topics are bounded.
func (b *BoundedAPI) SubscribeLogs(
	ctx context.Context, owner rpc.Owner, query FilterCriteria,
) (*rpc.Subscription, error) {
	b.mu.Lock()
	w, err := b.begin(owner, &query, 0, func() { go rpc.EndConnection(ctx) })
	b.mu.Unlock()
	if err != nil {
		return nil, err
	}
	ended := func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.end(w)
	}
	sub, err := b.FilterAPI.Logs(ctx, query)
	if err != nil {
		ended()
		return sub, err
	}
	go func() {
		<-sub.Err() //nolint:errcheck // closed, also at the end of the connection
		ended()
	}()
	return sub, nil
}

// InstallLogs is Install of a filter for logs, whose query is bounded like that of eth_getLogs.
func (b *BoundedAPI) InstallLogs(owner rpc.Owner, query FilterCriteria) (rpc.ID, error) {
	most := len(query.Addresses)
	for _, topics := range query.Topics {
		most = max(most, len(topics))
	}
	if b.logQueryLimit != 0 && most > b.logQueryLimit {
		return "", errExceedLogQueryLimit
	}
	return b.Install(owner, &query, func() (rpc.ID, error) { return b.FilterAPI.NewFilter(query) })
}

// Overflow returns the error of a filter that was removed because it held too much, or nil.
func (b *BoundedAPI) Overflow(id rpc.ID) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.overflow(id)
}

func (b *BoundedAPI) overflow(id rpc.ID) error {
	if !b.overflowed.Contains(id) {
		return nil
	}
	return &rpc.Refusal{Code: rpc.CodeSize, Text: fmt.Sprintf("filter overflowed: it held more than %d entries or %d "+
		"bytes since it was polled; create it again and poll it more often", b.bounds.Items, b.bounds.Bytes)}
}

// Changes answers eth_getFilterChanges.
func (b *BoundedAPI) Changes(id rpc.ID) (any, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.overflow(id); err != nil {
		return nil, err
	}
	if w := b.held[id]; w != nil {
		w.items, w.bytes = 0, 0
	}
	return b.FilterAPI.GetFilterChanges(id)
}

// count brings what the bounded filters hold up to date and removes those that hold too much.
func (b *BoundedAPI) count() {
	var gone []*Subscription
	b.mu.Lock()
	b.filtersMu.Lock()
	for id, w := range b.held {
		f := b.filters[id]
		if f != nil {
			w.add(f)
		}
		if f == nil || w.items > b.bounds.Items || w.bytes > b.bounds.Bytes {
			b.forget(id)
		}
		if f != nil && b.held[id] == nil {
			delete(b.filters, id)
			b.overflowed.Add(id, struct{}{})
			gone = append(gone, f.s)
		}
	}
	b.filtersMu.Unlock()
	b.mu.Unlock()
	for _, s := range gone { // without the locks, which the sender of events may wait for
		s.Unsubscribe()
	}
}

// add counts what has come since it was called last.
func (w *watch) add(f *filter) {
	switch {
	case f.typ == LogsSubscription:
		for _, l := range f.logs[w.items:] {
			w.bytes += sizeOfLog(l)
		}
	case f.fullTx:
		for _, tx := range f.txs[w.items:] {
			w.bytes += txSize + 2*int(tx.Size())
		}
	default:
		w.bytes += hashSize * (len(f.hashes) + len(f.txs) - w.items)
	}
	w.items = len(f.hashes) + len(f.txs) + len(f.logs) // of which a filter has one kind
}
