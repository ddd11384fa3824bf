// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package minblock

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"gwon/internal/door/calls"
	"gwon/internal/expect"
)

// One goroutine looks at the head for all requests that wait, and for no longer than any does.
func TestOneLooksForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		chain := newChain(100)
		g := New(chain, calls.New(calls.Limits{}))
		for i := range maxWaiting {
			go func() {
				r := httptest.NewRequest(http.MethodPost, "/", nil)
				r.RemoteAddr = fmt.Sprintf("203.0.%d.%d:1", i/256, i%256)
				r.Header.Set(MinBlock, "1000")
				g.Request(httptest.NewRecorder(), r, http.NotFoundHandler())
			}()
		}
		synctest.Wait()
		begun := chain.looks.Load()
		time.Sleep(patience - look)
		if looks, most := chain.looks.Load()-begun, uint64(patience/look); looks > most {
			t.Errorf("%d requests that wait have the head looked at %d times a second, want %d at most",
				maxWaiting, looks, most)
		}
		time.Sleep(3 * look)
		synctest.Wait()
		ended := chain.looks.Load()
		time.Sleep(time.Minute)
		looks := chain.looks.Load()
		expect.That(t, looks == ended, "the head is looked at %d times while no request waits", looks-ended)
	})
}
