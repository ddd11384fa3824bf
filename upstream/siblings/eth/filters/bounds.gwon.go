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
	held       map[rpc.ID]*holding
	watches    map[*watch]struct{} // for logs, of filters and subscriptions
	overflowed lru.BasicLRU[rpc.ID, struct{}]
}

// holding is what was counted of a filter since it was polled.
type holding struct {
	place        rpc.Share
	watch        *watch
	items, bytes int
}

// NewBoundedAPI returns the service over a filter system. What filters hold is counted once a second.
func NewBoundedAPI(system *FilterSystem, door rpc.Door, bounds Bounds) *BoundedAPI {
	b := &BoundedAPI{FilterAPI: NewFilterAPI(system), door: door, bounds: bounds, held: make(map[rpc.ID]*holding),
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

// limitError refuses what exceeds a bound other than that of an answer (EIP-1474).
type limitError struct{ text string }

func (e *limitError) Error() string  { return e.text }
func (e *limitError) ErrorCode() int { return -32005 }

// sizeError refuses an answer that is too large, with the code of a batch whose answers are.
type sizeError struct{ text string }

func (e *sizeError) Error() string  { return e.text }
func (e *sizeError) ErrorCode() int { return -32003 }

// Install has a filter of an owner made, if there is room for one more. criteria is the number of its addresses and
// topics. A filter of the owner with most leaves where there is no more room.
func (b *BoundedAPI) Install(owner rpc.Owner, criteria int, install func() (rpc.ID, error)) (id rpc.ID, err error) {
	var made rpc.ID // set below, before another can need the place
	evict := func() { go b.remove(made) }
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forgetGone()
	w, err := b.watch(owner, criteria, evict)
	if err != nil {
		return "", err
	}
	place := b.door.Share(rpc.Filters, owner, evict)
	if err := place.Add(1); err != nil {
		b.unwatch(w)
		return "", &limitError{fmt.Sprintf("no more filters: %v", err)}
	}
	if id, err = install(); err != nil {
		place.Release()
		b.unwatch(w)
		return id, err
	}
	made = id
	b.held[id] = &holding{place: place, watch: w}
	return id, nil
}

// remove takes a filter away whose place another owner needs.
func (b *BoundedAPI) remove(id rpc.ID) {
	b.mu.Lock()
	if h := b.held[id]; h != nil {
		b.forget(id, h)
	}
	b.mu.Unlock()
	b.UninstallFilter(id)
}

// forgetGone ends the count of filters that are no longer there.
func (b *BoundedAPI) forgetGone() {
	b.filtersMu.Lock()
	defer b.filtersMu.Unlock()
	for id, h := range b.held {
		if b.filters[id] == nil {
			b.forget(id, h)
		}
	}
}

// forget ends the count of a filter.
func (b *BoundedAPI) forget(id rpc.ID, h *holding) {
	delete(b.held, id)
	h.place.Release()
	b.unwatch(h.watch)
}

// watch counts the addresses and topics that each new log is compared with for an owner, unless there are too many. The
// mutex is held, so that none is displaced before it is made.
func (b *BoundedAPI) watch(owner rpc.Owner, criteria int, evict func()) (*watch, error) {
	w := &watch{owner: owner, criteria: criteria, share: b.door.Share(rpc.Criteria, owner, evict)}
	if err := w.share.Add(criteria); err != nil {
		return nil, &limitError{fmt.Sprintf("no more addresses and topics of filters and subscriptions: %v", err)}
	}
	return w, nil
}

// unwatch ends the count of watch. The mutex is held.
func (b *BoundedAPI) unwatch(w *watch) {
	delete(b.watches, w)
	w.share.Release()
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
	w, err := b.watch(owner, criteriaOf(query), func() { go rpc.EndConnection(ctx) })
	b.mu.Unlock()
	if err != nil {
		return nil, err
	}
	ended := func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.unwatch(w)
	}
	sub, err := b.FilterAPI.Logs(ctx, query)
	if err != nil {
		ended()
		return sub, err
	}
	b.mu.Lock()
	b.watches[w] = struct{}{}
	b.mu.Unlock()
	go func() {
		<-sub.Err() //nolint:errcheck // closed, also at the end of the connection
		ended()
	}()
	return sub, nil
}

// InstallLogs is Install of a filter for logs, whose query is bounded like that of eth_getLogs.
func (b *BoundedAPI) InstallLogs(owner rpc.Owner, query FilterCriteria) (rpc.ID, error) {
	if b.logQueryLimit != 0 {
		if len(query.Addresses) > b.logQueryLimit {
			return "", errExceedLogQueryLimit
		}
		for _, topics := range query.Topics {
			if len(topics) > b.logQueryLimit {
				return "", errExceedLogQueryLimit
			}
		}
	}
	id, err := b.Install(owner, criteriaOf(query), func() (rpc.ID, error) { return b.FilterAPI.NewFilter(query) })
	if err != nil {
		return id, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if h := b.held[id]; h != nil {
		b.watches[h.watch] = struct{}{}
	}
	return id, nil
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
	return &sizeError{fmt.Sprintf("filter overflowed: it held more than %d entries or %d bytes since it was polled; "+
		"create it again and poll it more often", b.bounds.Items, b.bounds.Bytes)}
}

// Changes answers eth_getFilterChanges.
func (b *BoundedAPI) Changes(id rpc.ID) (any, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.overflow(id); err != nil {
		return nil, err
	}
	if h := b.held[id]; h != nil {
		h.items, h.bytes = 0, 0
	}
	return b.FilterAPI.GetFilterChanges(id)
}

// count brings what the bounded filters hold up to date and removes those that hold too much.
func (b *BoundedAPI) count() {
	var gone []*Subscription
	b.mu.Lock()
	b.filtersMu.Lock()
	for id, h := range b.held {
		f := b.filters[id]
		if f == nil {
			b.forget(id, h)
			continue
		}
		h.add(f)
		if h.items > b.bounds.Items || h.bytes > b.bounds.Bytes {
			b.forget(id, h)
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
func (h *holding) add(f *filter) {
	switch {
	case f.typ == LogsSubscription:
		for _, l := range f.logs[h.items:] {
			h.bytes += sizeOfLog(l)
		}
	case f.fullTx:
		for _, tx := range f.txs[h.items:] {
			h.bytes += txSize + 2*int(tx.Size())
		}
	default:
		h.bytes += hashSize * (len(f.hashes) + len(f.txs) - h.items)
	}
	h.items = len(f.hashes) + len(f.txs) + len(f.logs) // of which a filter has one kind
}
