// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package filters

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/lru"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/internal/ethapi"
	"github.com/ethereum/go-ethereum/rpc"
)

var errAnswerSize = errors.New("the answer is too large")

// allowanceKey has how many bytes of logs one query may still collect.
type allowanceKey struct{}

// WithAllowance bounds what a query collects, in bytes of its answer. It fails above that, which exceeded reports.
func WithAllowance(ctx context.Context, bytes int) (_ context.Context, exceeded func() bool) {
	left := new(atomic.Int64)
	left.Store(int64(bytes))
	return context.WithValue(ctx, allowanceKey{}, left), func() bool { return left.Load() < 0 }
}

// spend takes logs off the allowance of a query, if it has one.
func spend(ctx context.Context, logs ...*types.Log) error {
	left, ok := ctx.Value(allowanceKey{}).(*atomic.Int64)
	if !ok {
		return nil
	}
	for _, l := range logs {
		if left.Add(-int64(ethapi.SizeOfLog(l))) < 0 {
			return errAnswerSize
		}
	}
	return nil
}

// Bounds are those of what one filter holds between two polls. The door bounds filters, addresses and topics.
type Bounds struct {
	Items int // hashes, transactions or logs
	Bytes int // of the answer to the next poll
}

const (
	// MaxTopics bounds those of a query.
	MaxTopics = maxTopics
	// MaxCriteria bounds the addresses of a query, and the values of one of its topics.
	MaxCriteria = maxSubTopics

	maxOverflowed  = 1024 // filters of which it is remembered that they held too much
	filterCriteria = 256  // addresses and topics that a filter counts as, also when it has fewer
)

// BoundedAPI is a FilterAPI whose filters are bounded in number and in what they hold. Both are counted by a door.
type BoundedAPI struct {
	*FilterAPI
	door   rpc.Door
	bounds Bounds

	mu         sync.Mutex // taken before the one of the FilterAPI
	watches    map[rpc.ID]*watch
	overflowed lru.BasicLRU[rpc.ID, struct{}]
}

// watch is a filter of an owner, or a subscription to logs.
type watch struct {
	owner        rpc.Owner
	logs, filter bool
	criteria     int           // addresses and topics that each new log is compared with
	share        rpc.Share     // of criteria
	owed         time.Duration // for comparisons
	items, bytes int           // of a filter since it was polled
}

// NewBoundedAPI returns the service over a filter system. What filters hold is counted once a second.
func NewBoundedAPI(system *FilterSystem, door rpc.Door, bounds Bounds) *BoundedAPI {
	b := &BoundedAPI{FilterAPI: NewFilterAPI(system), door: door, bounds: bounds, watches: make(map[rpc.ID]*watch),
		overflowed: lru.NewBasicLRU[rpc.ID, struct{}](maxOverflowed)}
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

// watch has a filter or subscription of an owner made, for logs if there is a query, if there is room for one more. One
// of the owner with most leaves where there is no more room.
func (b *BoundedAPI) watch(owner rpc.Owner, query *FilterCriteria, filter bool, begin func() (rpc.ID, error),
	evict func(rpc.ID)) (id rpc.ID, err error) {
	w := &watch{owner: owner, logs: query != nil, filter: filter}
	if query != nil {
		w.criteria = len(query.Addresses)
		for _, topics := range query.Topics {
			w.criteria += len(topics)
		}
	}
	taken := w.criteria
	if filter {
		taken = max(taken, filterCriteria)
	}
	var made rpc.ID // set below, before another can need the place
	w.share = b.door.Share(rpc.Criteria, owner, func() { go evict(made) })
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := w.share.Add(taken); err != nil {
		return "", &rpc.Refusal{Code: rpc.CodeLimit, Text: fmt.Sprintf("no more filters, or addresses and topics of "+
			"filters and subscriptions, of which a filter counts as %d at least: %v", filterCriteria, err)}
	}
	if id, err = begin(); err != nil {
		w.share.Release()
		return id, err
	}
	made, b.watches[id] = id, w
	return id, nil
}

// Install has a filter of an owner made, for logs if there is a query.
func (b *BoundedAPI) Install(
	owner rpc.Owner, query *FilterCriteria, install func() (rpc.ID, error),
) (id rpc.ID, err error) {
	return b.watch(owner, query, true, install, func(id rpc.ID) { b.UninstallFilter(id) })
}

// UninstallFilter implements eth_uninstallFilter.
func (b *BoundedAPI) UninstallFilter(id rpc.ID) bool {
	b.forget(id)
	return b.FilterAPI.UninstallFilter(id)
}

// forget ends the count of a filter or subscription.
func (b *BoundedAPI) forget(id rpc.ID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if w := b.watches[id]; w != nil {
		delete(b.watches, id)
		w.share.Release()
	}
}

// SubscribeLogs is Logs for an owner whose addresses and topics are bounded.
func (b *BoundedAPI) SubscribeLogs(
	ctx context.Context, owner rpc.Owner, query FilterCriteria,
) (sub *rpc.Subscription, err error) {
	_, err = b.watch(owner, &query, false, func() (rpc.ID, error) {
		if sub, err = b.FilterAPI.Logs(ctx, query); err != nil {
			return "", err
		}
		return sub.ID, nil
	}, func(rpc.ID) { rpc.EndConnection(ctx) })
	if err != nil {
		return nil, err
	}
	go func() {
		<-sub.Err() //nolint:errcheck // closed, also at the end of the connection
		b.forget(sub.ID)
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
	if !b.overflowed.Contains(id) {
		return nil
	}
	return &rpc.Refusal{Code: rpc.CodeSize, Text: fmt.Sprintf("filter overflowed: it held more than %d entries or %d "+
		"bytes since it was polled; create it again and poll it more often", b.bounds.Items, b.bounds.Bytes)}
}

// Changes answers eth_getFilterChanges.
func (b *BoundedAPI) Changes(id rpc.ID) (any, error) {
	if err := b.Overflow(id); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if w := b.watches[id]; w != nil {
		w.items, w.bytes = 0, 0
	}
	return b.FilterAPI.GetFilterChanges(id)
}

// count brings what the bounded filters hold up to date and removes those that hold too much.
func (b *BoundedAPI) count() {
	var ended []rpc.ID
	b.mu.Lock()
	b.filtersMu.Lock()
	for id, w := range b.watches {
		f := b.filters[id]
		if f != nil {
			w.add(f)
		}
		if over := w.items > b.bounds.Items || w.bytes > b.bounds.Bytes; over || f == nil && w.filter {
			ended = append(ended, id)
			if over {
				b.overflowed.Add(id, struct{}{})
			}
		}
	}
	b.filtersMu.Unlock()
	b.mu.Unlock()
	for _, id := range ended { // without the locks, which the sender of events may wait for
		b.UninstallFilter(id)
	}
}

// add counts what has come since it was called last.
func (w *watch) add(f *filter) {
	switch {
	case f.typ == LogsSubscription:
		for _, l := range f.logs[w.items:] {
			w.bytes += ethapi.SizeOfLog(l)
		}
	case f.fullTx:
		for _, tx := range f.txs[w.items:] {
			w.bytes += ethapi.SizeOfTx(tx)
		}
	default:
		w.bytes += ethapi.SizeOfHash * (len(f.hashes) + len(f.txs) - w.items)
	}
	w.items = len(f.hashes) + len(f.txs) + len(f.logs) // of which a filter has one kind
}

// fewLogs is up to how many logs a list is searched one by one, which costs less than making a set of it.
const fewLogs = 8

// What it costs to compare logs with the criteria of one filter or subscription (BenchmarkMatch), and from which time
// on it is charged. logsWaiting are events that wait to be charged for.
const (
	timeOfLog        = 100 * time.Nanosecond
	timeOfCriterion  = 50 * time.Nanosecond // which becomes the member of a set
	timeOfComparison = 2 * time.Nanosecond  // of one log with one criterion of a short list
	chargedFrom      = time.Millisecond
	logsWaiting      = 16
)

// matchTime returns about how long it takes to compare logs with a number of addresses and topics.
func matchTime(logs, criteria int) time.Duration {
	if logs <= fewLogs {
		return time.Duration(logs) * (timeOfLog + time.Duration(criteria)*timeOfComparison)
	}
	return time.Duration(logs)*timeOfLog + time.Duration(criteria)*timeOfCriterion
}

// charge has clients pay for the comparison of logs with what they wait for, each time that it makes a millisecond.
func (b *BoundedAPI) charge(logs int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, w := range b.watches {
		if !w.logs {
			continue
		}
		if w.owed += matchTime(logs, w.criteria); w.owed >= chargedFrom {
			b.door.Used(w.owner, rpc.MatchingLogs, w.owed)
			w.owed = 0
		}
	}
}

// wantedOf returns a function that reports whether a list has a value, for a number of logs.
func wantedOf[T comparable](list []T, logs int) func(T) bool {
	if logs <= fewLogs || len(list) <= fewLogs {
		return func(value T) bool { return slices.Contains(list, value) }
	}
	set := make(map[T]struct{}, len(list))
	for _, value := range list {
		set[value] = struct{}{}
	}
	return func(value T) bool {
		_, ok := set[value]
		return ok
	}
}

// criteria returns what a query wants, to be compared with a number of logs.
func criteria(logs int, addresses []common.Address, topics [][]common.Hash) (func(common.Address) bool,
	[]func(common.Hash) bool) {
	byPosition := make([]func(common.Hash) bool, len(topics))
	for i, list := range topics {
		byPosition[i] = wantedOf(list, logs)
	}
	return wantedOf(addresses, logs), byPosition
}
