// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// use occupies a worker for a while and reports when it has had it.
func use(t *turns, ctx context.Context, connection string, busy time.Duration, done chan<- string) {
	leave, err := t.enter(ctx, connection, false, nil)
	if err != nil {
		done <- connection + ": " + err.Error()
		return
	}
	time.Sleep(busy)
	leave()
	done <- connection
}

func freeWorkers(t *turns) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.free
}

// However many calls clients that have used much have waiting, the short call of another one does not wait for their
// end.
func TestTurnsAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns, done := newTurns(1), make(chan string, 100)
		for range 8 {
			go use(turns, t.Context(), "greedy", time.Second, done)
			go use(turns, t.Context(), "other", time.Second, done)
		}
		time.Sleep(2500 * time.Millisecond)
		start := time.Now()
		use(turns, t.Context(), "modest", littleUse/2, done)
		if took := time.Since(start); took != littleUse/2 {
			t.Errorf("the short call took %v", took)
		}
		if free := freeWorkers(turns); free != 1 {
			t.Errorf("%d workers are free, want the one that clients with much use do not get", free)
		}
		for range 17 {
			<-done
		}
	})
}

// Among clients that have used much, the one that has used least comes first.
func TestLeastUsedComesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns, done := newTurns(1), make(chan string, 100)
		use(turns, t.Context(), "modest", 2*littleUse, done)
		<-done
		for range 8 {
			go use(turns, t.Context(), "greedy", time.Second, done)
		}
		synctest.Wait()
		go use(turns, t.Context(), "modest", time.Second, done)
		if first, second := <-done, <-done; first != "greedy" || second != "modest" {
			t.Errorf("served %s, then %s, want greedy, then modest", first, second)
		}
		for range 7 {
			<-done
		}
	})
}

// One connection has half of the workers at most; what it leaves is there for others at once.
func TestOneConnectionHasAPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns, done := newTurns(4), make(chan string, 100)
		for range 6 {
			go use(turns, t.Context(), "greedy", time.Second, done)
		}
		synctest.Wait()
		if free := freeWorkers(turns); free != 3 {
			t.Errorf("%d workers are free, want 3", free)
		}
		start := time.Now()
		use(turns, t.Context(), "modest", 0, done)
		if waited := time.Since(start); waited != 0 {
			t.Errorf("the other connection waited %v", waited)
		}
		for range 7 {
			<-done
		}
		if turns.free != 5 || len(turns.waiting) != 0 {
			t.Errorf("in the end %d workers are free and %d calls wait", turns.free, len(turns.waiting))
		}
	})
}

// A call does not wait for ever, and one that gave up takes no worker.
func TestTurnPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns, done := newTurns(1), make(chan string, 100)
		for _, name := range []string{"long", "longer"} {
			go use(turns, t.Context(), name, time.Minute, done)
		}
		synctest.Wait()
		start := time.Now()
		_, err := turns.enter(t.Context(), "other", false, nil)
		if !errors.Is(err, errNoTurn) || time.Since(start) != turnPatience {
			t.Errorf("error %v after %v, want errNoTurn after %v", err, time.Since(start), turnPatience)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := turns.enter(ctx, "gone", false, nil); !errors.Is(err, errNoTurn) {
			t.Errorf("a canceled call: %v", err)
		}
		<-done
		<-done
		if turns.free != 2 || len(turns.waiting) != 0 {
			t.Errorf("in the end %d workers are free and %d calls wait", turns.free, len(turns.waiting))
		}
	})
}

// The calls of a batch have one time together.
func TestBatchBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns, ctx := newTurns(1), withBatchBudget(t.Context())
		start := time.Now()
		for range 1000 {
			leave, err := turns.enter(ctx, "batch", false, nil)
			if errors.Is(err, errBatchSpent) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			leave()
		}
		if took := time.Since(start); took != batchTime {
			t.Errorf("the batch ran for %v, want %v", took, batchTime)
		}
	})
}

// A call that keeps the last worker for longer than little yields it to a client that has used little, and only then.
func TestLastWorkerIsYielded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns, done := newTurns(1), make(chan string, 100)
		go use(turns, t.Context(), "greedy", time.Hour, done)
		synctest.Wait()
		yields := 0
		enter := func(name string, yielded bool) (leave func()) {
			t.Helper()
			leave, err := turns.enter(t.Context(), name, yielded, func() { yields++ })
			if err != nil {
				t.Fatal(err)
			}
			return leave
		}
		leave := enter("fresh", false) // the last worker
		time.Sleep(2 * littleUse)
		synctest.Wait()
		if yields != 0 {
			t.Fatal("the worker is yielded to nobody")
		}
		time.AfterFunc(time.Second, leave) // the call ends a second after the others want the worker
		start := time.Now()
		another := enter("another", false)
		if yields != 1 || time.Since(start) != time.Second {
			t.Fatalf("%d yields, worker after %v", yields, time.Since(start))
		}
		another()
		if _, err := turns.enter(t.Context(), "fresh", true, nil); !errors.Is(err, errNoTurn) {
			t.Errorf("a call that has yielded gets the last worker again: %v", err)
		}
		<-done
	})
}

// However many clients come for the first time with long calls, the short call of an honest one waits for the first
// 100 ms of each of them that came before it.
func TestNewClientsDoNotBlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns, done := newTurns(1), make(chan string, 100)
		const attackers = 8
		ctx, stop := context.WithCancel(t.Context())
		for i := range attackers {
			go func() {
				defer func() { done <- "attacker" }()
				for yielded := false; ctx.Err() == nil; {
					run, yield := context.WithCancel(ctx)
					leave, err := turns.enter(run, string(rune('a'+i)), yielded, yield)
					if err != nil {
						continue
					}
					work := time.NewTimer(time.Minute)
					select {
					case <-work.C:
					case <-run.Done():
						yielded = true
					}
					leave()
				}
			}()
		}
		synctest.Wait()
		for range 50 {
			start := time.Now()
			use(turns, t.Context(), "honest", time.Millisecond, done)
			if took := time.Since(start); took > attackers*littleUse+time.Millisecond {
				t.Fatalf("the honest call took %v", took)
			}
			time.Sleep(time.Second)
		}
		stop()
		for range attackers + 50 {
			<-done
		}
	})
}

// Calls that wait, and connections that are remembered, are bounded.
func TestTurnBounds(t *testing.T) {
	turns := newTurns(1)
	var leaves []func()
	for _, name := range []string{"first", "second"} {
		leave, err := turns.enter(t.Context(), name, false, nil)
		if err != nil {
			t.Fatal(err)
		}
		leaves = append(leaves, leave)
	}
	displaced := func(w *waiter) bool {
		select {
		case <-w.gone:
			return true
		default:
			return false
		}
	}
	var newest *waiter
	for range maxWaiting {
		if newest = turns.queue("crowd", false, nil); displaced(newest) {
			t.Fatal("refused below the bound")
		}
	}
	if _, err := turns.enter(t.Context(), "crowd", false, nil); !errors.Is(err, errNoTurn) {
		t.Errorf("above the bound: %v", err)
	}
	if displaced(newest) {
		t.Error("a call of the client with most displaced another of its own")
	}
	if w := turns.queue("other", false, nil); displaced(w) || !displaced(newest) {
		t.Error("the crowd keeps another client out")
	}
	if len(turns.waiting) != maxWaiting {
		t.Errorf("%d calls wait, want %d", len(turns.waiting), maxWaiting)
	}
	if turns.giveUp(newest) {
		t.Error("a displaced call gets a turn")
	}
	for _, leave := range leaves {
		leave()
	}
	many := newTurns(1)
	for i := range 3 * maxShares {
		leave, err := many.enter(t.Context(), string(rune(i)), false, nil)
		if err != nil {
			t.Fatal(err)
		}
		leave()
	}
	if len(many.shares) > maxShares+1 {
		t.Errorf("%d connections are remembered", len(many.shares))
	}
}

// What a node shows of its whole pool waits for a turn like every long call; its counts do not. Calls that execute have
// a deadline, but searches, which answer what they have found. spec: rpc 9.6
func TestLongCalls(t *testing.T) {
	SetCallTime(time.Second)
	defer SetCallTime(0)
	for _, c := range []struct {
		method, params string
		long           bool
		limit          time.Duration
	}{
		{"txpool_content", "", true, 0},
		{"txpool_contentFrom", "", true, 0},
		{"txpool_inspect", "", true, 0},
		{"txpool_status", "", false, 0},
		{"eth_getLogs", "", true, 0},
		{"eth_call", "", true, time.Second},
		{"eth_estimateGas", `[{},{"timeout":"1h"}]`, true, time.Second},
		{"debug_traceCall", `[{},"latest"]`, true, time.Second},
		{"debug_traceCall", `[{},"latest",{"timeout":"1m"}]`, true, time.Minute},
		{"debug_traceCall", `[{},"latest",{"timeout":"1ms"}]`, true, time.Second},
		{"debug_traceCall", `[{},"latest",{"timeout":"rubbish"},7`, true, time.Second},
		{"debug_setHead", "", true, 0},
		{"trace_block", "", true, time.Second},
		{"ots_traceTransaction", "", true, time.Second},
		{"ots_searchTransactionsBefore", "", true, 0},
		{"eth_chainId", "", false, 0},
		{"eth_getBlockByNumber", `["latest",true]`, true, 0},
		{"eth_getBlockByHash", `["0x01",false]`, false, 0},
		{"eth_sendRawTransaction", "", false, 0},
	} {
		t.Run(c.method+c.params, func(t *testing.T) {
			msg := &jsonrpcMessage{Method: c.method, Params: json.RawMessage(c.params)}
			if long := TakesLong(chargedAs(msg)); long != c.long {
				t.Errorf("takes long: %v", long)
			}
			if limit := timeOf(c.method, json.RawMessage(c.params)); limit != c.limit {
				t.Errorf("limit %v, want %v", limit, c.limit)
			}
		})
	}
}
