// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"context"
	"sync"

	"github.com/ethereum/go-ethereum/rpc"
)

const (
	lookupRequests = 4   // requests at the same time, all of look-ups
	maxLookupCalls = 100 // calls of a request beyond those of the first look-up; nodes take 1,000
)

// lookups asks the node for the state that decisions need. What waits while requests are under way shares the next one.
type lookups struct {
	batch func(context.Context, []rpc.BatchElem) error
	queue chan *lookup
	ended sync.WaitGroup
}

// lookup is the calls of one decision.
type lookup struct {
	calls []rpc.BatchElem
	done  chan error
}

func newLookups(batch func(context.Context, []rpc.BatchElem) error) *lookups {
	l := &lookups{batch: batch, queue: make(chan *lookup)}
	for range lookupRequests {
		l.ended.Go(l.serve)
	}
	return l
}

// close ends the requests. No look-up may begin after it.
func (l *lookups) close() {
	close(l.queue)
	l.ended.Wait()
}

// do makes calls, whose results and errors are in them afterwards. The error is that of the request.
func (l *lookups) do(ctx context.Context, calls []rpc.BatchElem) error {
	one := &lookup{calls, make(chan error, 1)}
	select {
	case l.queue <- one:
	case <-ctx.Done():
		return ctx.Err()
	}
	// The results are written until the request has ended, whatever becomes of ctx.
	return <-one.done
}

func (l *lookups) serve() {
	for first := range l.queue {
		group, n := []*lookup{first}, len(first.calls)
		for next := range waitingIn(l.queue) {
			group = append(group, next)
			if n += len(next.calls); n >= maxLookupCalls {
				break
			}
		}
		l.request(group)
	}
}

// request asks for all look-ups of a group at once.
func (l *lookups) request(group []*lookup) {
	var calls []rpc.BatchElem
	for _, one := range group {
		calls = append(calls, one.calls...)
	}
	err := l.batch(context.Background(), calls) // no caller ends the request of the others
	for _, one := range group {
		for i := range one.calls {
			one.calls[i].Error = calls[i].Error
		}
		calls = calls[len(one.calls):]
		one.done <- err
	}
}
