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

// Bounds are those of filters that clients from the network install and poll, and of their subscriptions to logs. Of
// the networks of a client, a wider one may have what rpc.BoundOf says.
type Bounds struct {
	Filters   int // of all clients
	PerClient int
	Items     int // hashes, transactions or logs that one filter holds between two polls
	Bytes     int // of the answer to the next poll

	Criteria          int // addresses and topics of all filters and subscriptions
	CriteriaPerClient int
}

// BoundedAPI is a FilterAPI whose filters are bounded in number and in what they hold.
type BoundedAPI struct {
	*FilterAPI
	bounds Bounds

	mu         sync.Mutex // taken before the one of the FilterAPI
	held       map[rpc.ID]*holding
	watches    map[*watch]struct{} // for logs, of filters and subscriptions
	criteria   map[string]int      // of filters and subscriptions by client
	asked      int                 // criteria of all clients
	overflowed lru.BasicLRU[rpc.ID, struct{}]
}

// holding is what was counted of a filter since it was polled.
type holding struct {
	clients      []string // rpc.CallersOf
	criteria     int
	watch        *watch // nil for a filter that is not for logs
	items, bytes int
}

// NewBoundedAPI returns the service over a filter system. What filters hold is counted once a second.
func NewBoundedAPI(system *FilterSystem, bounds Bounds) *BoundedAPI {
	b := &BoundedAPI{FilterAPI: NewFilterAPI(system), bounds: bounds, held: make(map[rpc.ID]*holding),
		criteria: make(map[string]int), watches: make(map[*watch]struct{}),
		overflowed: lru.NewBasicLRU[rpc.ID, struct{}](bounds.Filters)}
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

// Install has a filter of a client (rpc.CallersOf) made, if there is room for one more. criteria is the number of its
// addresses and topics.
func (b *BoundedAPI) Install(clients []string, criteria int, install func() (rpc.ID, error)) (rpc.ID, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.filtersMu.Lock()
	for id, h := range b.held {
		if b.filters[id] == nil {
			b.forget(id, h)
		}
	}
	b.filtersMu.Unlock()
	for i, client := range clients {
		own, most := 0, rpc.BoundOf(i, b.bounds.PerClient, b.bounds.Filters)
		for _, h := range b.held {
			if i < len(h.clients) && h.clients[i] == client {
				own++
			}
		}
		if own >= most {
			return "", &limitError{fmt.Sprintf("this client has %d filters, the most that one may have: "+
				"uninstall some, or use eth_getLogs", own)}
		}
	}
	if len(b.held) >= b.bounds.Filters {
		return "", &limitError{fmt.Sprintf("%d filters are installed here, the most that the node keeps: "+
			"use eth_getLogs, or try again in some minutes", len(b.held))}
	}
	if err := b.ask(clients, criteria); err != nil {
		return "", err
	}
	id, err := install()
	if err != nil {
		b.unask(clients, criteria)
		return id, err
	}
	b.held[id] = &holding{clients: clients, criteria: criteria}
	return id, nil
}

// forget ends the count of a filter.
func (b *BoundedAPI) forget(id rpc.ID, h *holding) {
	delete(b.held, id)
	delete(b.watches, h.watch)
	b.unask(h.clients, h.criteria)
}

// ask counts the addresses and topics that each new log is compared with for a client, unless there are too many.
func (b *BoundedAPI) ask(clients []string, criteria int) error {
	for i, client := range clients {
		if most := rpc.BoundOf(i, b.bounds.CriteriaPerClient, b.bounds.Criteria); b.criteria[client]+criteria > most {
			return &limitError{fmt.Sprintf("the filters and subscriptions of this client would have more than %d addresses "+
				"and topics: end some, or ask for fewer", most)}
		}
	}
	if b.asked+criteria > b.bounds.Criteria {
		return &limitError{fmt.Sprintf("the filters and subscriptions of all clients would have more than %d addresses and "+
			"topics: ask for fewer, or try again in some minutes", b.bounds.Criteria)}
	}
	for _, client := range clients {
		b.criteria[client] += criteria
	}
	b.asked += criteria
	return nil
}

// unask ends the count of ask.
func (b *BoundedAPI) unask(clients []string, criteria int) {
	for _, client := range clients {
		if b.criteria[client] -= criteria; b.criteria[client] == 0 {
			delete(b.criteria, client)
		}
	}
	b.asked -= criteria
}

// criteriaOf returns the number of addresses and topics of a query.
func criteriaOf(query FilterCriteria) int {
	criteria := len(query.Addresses)
	for _, topics := range query.Topics {
		criteria += len(topics)
	}
	return criteria
}

// SubscribeLogs is Logs for a client (rpc.CallersOf) whose addresses and topics are bounded.
func (b *BoundedAPI) SubscribeLogs(
	ctx context.Context, clients []string, query FilterCriteria,
) (*rpc.Subscription, error) {
	criteria := criteriaOf(query)
	b.mu.Lock()
	err := b.ask(clients, criteria)
	w := &watch{clients: clients, criteria: criteria}
	if err == nil {
		b.watches[w] = struct{}{}
	}
	b.mu.Unlock()
	if err != nil {
		return nil, err
	}
	ended := func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.watches, w)
		b.unask(clients, criteria)
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
func (b *BoundedAPI) InstallLogs(clients []string, query FilterCriteria) (rpc.ID, error) {
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
	criteria := criteriaOf(query)
	id, err := b.Install(clients, criteria, func() (rpc.ID, error) { return b.FilterAPI.NewFilter(query) })
	if err != nil {
		return id, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if h := b.held[id]; h != nil {
		h.watch = &watch{clients: clients, criteria: criteria}
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
