// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package minblock

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/door/calls"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// testChain is a chain whose head a test moves.
type testChain struct{ newest, final, looks atomic.Uint64 }

func newChain(head uint64) *testChain {
	c := new(testChain)
	c.set(head)
	return c
}

func (c *testChain) set(head uint64) { c.newest.Store(head); c.final.Store(head) }

func (c *testChain) Newest() uint64 { return c.newest.Load() }

func (c *testChain) Final() uint64 {
	c.looks.Add(1)
	return c.final.Load()
}

// ask sends a request with these values of the header and returns the answer.
func ask(g *Door, next http.HandlerFunc, least ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader("{}"))
	for _, value := range least {
		r.Header.Add(MinBlock, value)
	}
	w := httptest.NewRecorder()
	g.Request(w, r, next)
	return w
}

// A request is served when the node has the block, and refused in one sentence when the header is no number.
func TestHeader(t *testing.T) {
	for _, row := range []struct {
		name   string
		least  []string
		status int
		block  string // of the answer
		text   string
	}{
		{"absent", nil, http.StatusOK, "", "served"},
		{"zero", []string{"0"}, http.StatusOK, "100", "served"},
		{"the head", []string{"100"}, http.StatusOK, "100", "served"},
		{"hexadecimal", []string{"0x10"}, http.StatusBadRequest, "", `"0x10": give one decimal block number`},
		{"negative", []string{"-1"}, http.StatusBadRequest, "", "give one decimal block number"},
		{"empty", []string{""}, http.StatusBadRequest, "", "give one decimal block number"},
		{"above 64 bits", []string{"18446744073709551616"}, http.StatusBadRequest, "", "give one decimal block number"},
		{"long", []string{strings.Repeat("9", 1000)}, http.StatusBadRequest, "", "give one decimal block number"},
		{"twice", []string{"1", "2"}, http.StatusBadRequest, "", `"1, 2": give one decimal block number`},
	} {
		t.Run(row.name, func(t *testing.T) {
			answer := ask(New(newChain(100), calls.New(calls.Limits{})), func(w http.ResponseWriter, _ *http.Request) {
				fmt.Fprint(w, "served")
			}, row.least...)
			if answer.Code != row.status || answer.Header().Get(Block) != row.block ||
				!strings.Contains(answer.Body.String(), row.text) || answer.Body.Len() > 200 {
				t.Errorf("status %d, %s %q: %s", answer.Code, Block, answer.Header().Get(Block), answer.Body)
			}
		})
	}
}

// A request waits for its block, which every tag has to reach, and not longer than a second.
func TestWait(t *testing.T) {
	for _, row := range []struct {
		name   string
		comes  time.Duration // of block 101 after the request
		after  time.Duration // until its seals make it final
		status int
	}{
		{"soon", 300 * time.Millisecond, 0, http.StatusOK},
		{"not final yet", 300 * time.Millisecond, 300 * time.Millisecond, http.StatusOK},
		{"too late", patience + look, 0, http.StatusServiceUnavailable},
		{"final too late", patience / 2, patience, http.StatusServiceUnavailable},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				chain, begin := newChain(100), time.Now()
				time.AfterFunc(row.comes, func() { chain.newest.Store(101) })
				time.AfterFunc(row.comes+row.after, func() { chain.final.Store(101) })
				answer := ask(New(chain, calls.New(calls.Limits{})), func(w http.ResponseWriter, _ *http.Request) {
					fmt.Fprint(w, "served")
				}, "101")
				took := time.Since(begin)
				must.That(t, answer.Code == row.status, "status %d after %v: %s", answer.Code, took, answer.Body)
				if row.status == http.StatusOK {
					want := row.comes + row.after
					expect.That(t, took >= want && took <= want+look, "served after %v, the block was there after %v", took, want)
				} else {
					checkRefusal(t, answer)
					expect.Equal(t, took, patience, "refused after")
				}
				time.Sleep(2 * patience) // for the timers above
			})
		})
	}
}

func checkRefusal(t *testing.T, answer *httptest.ResponseRecorder) {
	t.Helper()
	var body struct {
		Error struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
			Data    struct {
				Reason     string  `json:"reason"`
				RetryAfter float64 `json:"retryAfter"`
			} `json:"data"`
		} `json:"error"`
	}
	must.Do(t, json.Unmarshal(answer.Body.Bytes(), &body))
	e := body.Error
	expect.That(t, e.Code == gethrpc.CodeTime && e.Data.Reason == "behind" && e.Data.RetryAfter == 1 &&
		strings.Contains(e.Message, "wants 101") && answer.Header().Get("Retry-After") == "1", "refusal %+v", e)
}

// A client that has gone is not waited for.
func TestClientGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", nil)
		r.Header.Set(MinBlock, "101")
		begin, w := time.Now(), httptest.NewRecorder()
		New(newChain(100), calls.New(calls.Limits{})).Request(w, r, http.NotFoundHandler())
		took := time.Since(begin)
		expect.That(t, took <= look, "waited %v", took)
		time.Sleep(2 * look) // for the goroutine that looks at the head
	})
}

// The number of requests that wait is bounded for each caller and for all. Those above it are refused at once, and the
// others get their answer.
func TestWaitingIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		chain := newChain(100)
		g := New(chain, calls.New(calls.Limits{}))
		var served atomic.Int64
		next := func(http.ResponseWriter, *http.Request) { served.Add(1) }
		askFrom := func(address string) int {
			r := httptest.NewRequest(http.MethodPost, "/", nil)
			r.RemoteAddr = address
			r.Header.Set(MinBlock, "101")
			w := httptest.NewRecorder()
			g.Request(w, r, http.HandlerFunc(next))
			return w.Code
		}
		refused := func(address string) {
			t.Helper()
			begin := time.Now()
			if code := askFrom(address); code != http.StatusServiceUnavailable || time.Since(begin) != 0 {
				t.Errorf("%s: status %d after %v above the bound", address, code, time.Since(begin))
			}
		}
		for caller := range maxWaiting / ownWaiting {
			for port := range ownWaiting {
				go askFrom(fmt.Sprintf("203.0.113.%d:%d", caller, port+1))
			}
			synctest.Wait()
			refused(fmt.Sprintf("203.0.113.%d:999", caller))
			waiting, _ := g.waiting.Taken()
			expect.That(t, caller != 0 || waiting == ownWaiting, "%d requests wait", waiting)
		}
		go askFrom("198.51.100.1:1") // takes the place of a request of an owner with more
		synctest.Wait()
		if waiting, owners := g.waiting.Taken(); waiting != maxWaiting || owners != maxWaiting/ownWaiting+1 {
			t.Errorf("%d requests of %d owners wait", waiting, owners)
		}
		chain.set(101)
		time.Sleep(2 * look)
		synctest.Wait()
		if waiting, callers := g.waiting.Taken(); served.Load() != maxWaiting || waiting != 0 || callers != 0 {
			t.Errorf("%d served, %d still wait, of %d callers", served.Load(), waiting, callers)
		}
	})
}

// The answer names the block that the node has when the calls have run, not when the request came.
func TestBlockOfAnswer(t *testing.T) {
	for name, begin := range map[string]func(http.ResponseWriter){
		"write":  func(w http.ResponseWriter) { fmt.Fprint(w, "answer") },
		"status": func(w http.ResponseWriter) { w.WriteHeader(http.StatusOK) },
		"flush":  func(w http.ResponseWriter) { w.(http.Flusher).Flush() },
	} {
		t.Run(name, func(t *testing.T) {
			chain := newChain(100)
			answer := ask(New(chain, calls.New(calls.Limits{})), func(w http.ResponseWriter, _ *http.Request) {
				chain.set(102)
				begin(w)
				chain.set(103)
				fmt.Fprint(w, "rest")
			}, "1")
			expect.Equal(t, answer.Result().Header.Get(Block), "102", "%s", Block)
		})
	}
}

// refusing is a door that lets nothing pass.
type refusing struct{ gethrpc.Door }

func (refusing) Request(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
	w.WriteHeader(http.StatusTooManyRequests)
}

// The door before this one judges first: a client that it refuses does not wait.
func TestDoorBefore(t *testing.T) {
	expect.Equal(t, ask(New(newChain(100), refusing{}), http.NotFound, "101").Code, http.StatusTooManyRequests, "status")
}
