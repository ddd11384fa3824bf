// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/expect"
)

// TestLookupsShareRequests: what waits while all requests are under way shares the next ones, each look-up has its own
// results and errors, and a request has a bounded number of calls.
func TestLookupsShareRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const waiting = 60 // of two calls each, so that they need two requests
		odd := errors.New("odd")
		var requests []int // calls of each
		var mu sync.Mutex
		proceed := make(chan struct{})
		l := newLookups(func(_ context.Context, calls []rpc.BatchElem) error {
			mu.Lock()
			requests = append(requests, len(calls))
			mu.Unlock()
			<-proceed
			for i := range calls {
				n, ok := calls[i].Args[0].(int)
				if result, isInt := calls[i].Result.(*int); ok && isInt {
					*result = n
				}
				if n%2 == 1 {
					calls[i].Error = odd
				}
			}
			return nil
		})
		var group sync.WaitGroup
		ask := func(n int) {
			group.Go(func() {
				var got [2]int
				calls := make([]rpc.BatchElem, len(got))
				for i := range calls {
					calls[i] = rpc.BatchElem{Args: []any{2*n + i}, Result: &got[i]}
				}
				expect.Error(t, l.do(t.Context(), calls), nil, "do")
				expect.That(t, got == [2]int{2 * n, 2*n + 1} && calls[0].Error == nil && errors.Is(calls[1].Error, odd),
					"look-up %d has %v, errors %v and %v", n, got, calls[0].Error, calls[1].Error)
			})
		}
		for n := range lookupRequests {
			ask(n)
			synctest.Wait()
		}
		for n := range waiting {
			ask(lookupRequests + n)
		}
		synctest.Wait()
		for range 2 { // one request ends at a time, so that one begins at a time
			proceed <- struct{}{}
			synctest.Wait()
		}
		close(proceed)
		group.Wait()
		l.close()
		want := []int{2, 2, 2, 2, maxLookupCalls, 2*waiting - maxLookupCalls}
		expect.That(t, slices.Equal(requests, want), "requests of %v calls, want %v", requests, want)
	})
}

// TestFailedRequest: the error of a request reaches all look-ups that share it.
func TestFailedRequest(t *testing.T) {
	failed := errors.New("no node")
	l := newLookups(func(context.Context, []rpc.BatchElem) error { return failed })
	defer l.close()
	for n := range 3 {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			expect.Error(t, l.do(t.Context(), make([]rpc.BatchElem, 1)), failed, "do")
		})
	}
}
