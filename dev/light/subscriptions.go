// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package light

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth/filters"
	"github.com/ethereum/go-ethereum/log"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
)

// maxSubscriptions bounds the subscriptions of all clients, and their filters.
const maxSubscriptions = 64

// retryTime is the time between two attempts to read what is to be pushed.
const retryTime = time.Second

// NewHeads implements the subscription newHeads: each block that is proven, in order and with its own seals.
func (m *methods) NewHeads(ctx context.Context) (*gethrpc.Subscription, error) {
	head, err := m.e.tip.Head()
	if err != nil {
		return nil, err
	}
	first := head.Number.Uint64() + 1
	return m.e.subscribe(ctx, first, math.MaxUint64, func(v *view, headers []*types.Header) ([]any, int, error) {
		list := make([]any, len(headers))
		for i, h := range headers {
			sealed, err := v.sealed(h)
			if err != nil {
				return list[:i], i, err
			}
			list[i] = sealed
		}
		return list, len(headers), nil
	})
}

// Logs implements the subscription logs: those of each block that is proven, none left out.
func (m *methods) Logs(ctx context.Context, query filters.FilterCriteria) (*gethrpc.Subscription, error) {
	first, last, err := m.e.newLogs(ctx, query)
	if err != nil {
		return nil, err
	}
	return m.e.subscribe(ctx, first, last, func(v *view, headers []*types.Header) ([]any, int, error) {
		found, blocks, err := m.e.logsOf(v, headers, query)
		list := make([]any, len(found))
		for i, l := range found {
			list[i] = l
		}
		return list, blocks, err
	})
}

// subscribe starts a subscription to what read makes of the blocks from first to last. It says how many of them it has
// read.
func (e *Endpoint) subscribe(ctx context.Context, first, last uint64,
	read func(*view, []*types.Header) ([]any, int, error),
) (*gethrpc.Subscription, error) {
	notifier, supported := gethrpc.NotifierFromContext(ctx)
	if !supported {
		return nil, gethrpc.ErrNotificationsUnsupported
	}
	select {
	case e.pushes <- struct{}{}:
	default:
		return nil, fmt.Errorf("there are %d subscriptions, as many as are kept: end some with eth_unsubscribe",
			maxSubscriptions)
	}
	subscription := notifier.CreateSubscription()
	go func() {
		defer func() { <-e.pushes }()
		e.push(subscription, notifier, first, last, read)
	}()
	return subscription, nil
}

// push sends what is new until the client, its connection or the endpoint has ended the subscription. What cannot be
// read is tried again, so that a subscription leaves nothing out.
func (e *Endpoint) push(s *gethrpc.Subscription, notifier *gethrpc.Notifier, first, last uint64,
	read func(*view, []*types.Header) ([]any, int, error),
) {
	for first <= last {
		_, changed, _ := e.tip.Watch() // without a block nothing was subscribed to
		list, count, err := e.pushed(first, last, read)
		var again <-chan time.Time
		switch {
		case err != nil && count == 0:
			log.Debug("Notification delayed", "block", first, "err", err)
			again = time.After(retryTime)
		case count > 0:
			for _, item := range list {
				if notifier.Notify(s.ID, item) != nil {
					return // the connection is ended
				}
			}
			first += uint64(count)
			continue
		}
		select {
		case <-changed:
		case <-again:
		case err := <-s.Err():
			log.Trace("Subscription ended", "err", err)
			return
		case <-e.stopped.Done():
			return
		}
	}
	err := <-s.Err() // a range that has ended is no end of the subscription
	log.Trace("Subscription ended", "err", err)
}

// pushed returns what is to be sent of the next blocks, and how many those are.
func (e *Endpoint) pushed(first, last uint64, read func(*view, []*types.Header) ([]any, int, error)) (
	[]any, int, error,
) {
	v, leave, err := e.viewInTurn(e.stopped)
	if err != nil {
		return nil, 0, err
	}
	defer leave()
	headers, err := v.after(first, min(last, first+15)) // sixteen, then they are sent
	if err != nil || len(headers) == 0 {
		return nil, 0, err
	}
	return read(v, headers)
}

// kindOf returns what a client wants to subscribe to.
func kindOf(params json.RawMessage) string {
	var list []json.RawMessage
	var kind string
	if json.Unmarshal(params, &list) != nil || len(list) == 0 || json.Unmarshal(list[0], &kind) != nil {
		return ""
	}
	return kind
}
