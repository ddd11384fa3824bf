// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package limit

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	gethrpc "github.com/ethereum/go-ethereum/rpc"
)

// turnPatience is how long the calls of these tests wait.
const turnPatience = 10 * time.Second

// enter waits for a worker as the node's RPC does.
func enter(
	ctx context.Context, q *Queue[string], connection string, yielded bool, yield func(),
) (leave func(), err error) {
	waiting, cancel := context.WithTimeout(ctx, turnPatience)
	defer cancel()
	return q.TakeYielding(waiting, gethrpc.CallersOf(connection), yielded, yield)
}

// occupy has a worker for a while and reports when it has had it.
func occupy(ctx context.Context, q *Queue[string], connection string, busy time.Duration, done chan<- string) {
	leave, err := enter(ctx, q, connection, false, nil)
	if err != nil {
		done <- connection + ": " + err.Error()
		return
	}
	time.Sleep(busy)
	leave()
	done <- connection
}

func freeWorkers(q *Queue[string]) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.free
}

// However many calls clients that have used much have waiting, the short call of another one does not wait for their
// end.
func TestWorkersAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, done := newWorkers(1), make(chan string, 100)
		for range 8 {
			go occupy(t.Context(), q, "greedy", time.Second, done)
			go occupy(t.Context(), q, "other", time.Second, done)
		}
		time.Sleep(2500 * time.Millisecond)
		start := time.Now()
		occupy(t.Context(), q, "modest", littleUse/2, done)
		if took := time.Since(start); took != littleUse/2 {
			t.Errorf("the short call took %v", took)
		}
		if free := freeWorkers(q); free != 1 {
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
		q, done := newWorkers(1), make(chan string, 100)
		occupy(t.Context(), q, "modest", 2*littleUse, done)
		<-done
		for range 8 {
			go occupy(t.Context(), q, "greedy", time.Second, done)
		}
		synctest.Wait()
		go occupy(t.Context(), q, "modest", time.Second, done)
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
		q, done := newWorkers(4), make(chan string, 100)
		for range 6 {
			go occupy(t.Context(), q, "greedy", time.Second, done)
		}
		synctest.Wait()
		if free := freeWorkers(q); free != 3 {
			t.Errorf("%d workers are free, want 3", free)
		}
		start := time.Now()
		occupy(t.Context(), q, "modest", 0, done)
		if waited := time.Since(start); waited != 0 {
			t.Errorf("the other connection waited %v", waited)
		}
		for range 7 {
			<-done
		}
		if q.free != 5 || len(q.waiting) != 0 {
			t.Errorf("in the end %d workers are free and %d calls wait", q.free, len(q.waiting))
		}
	})
}

// A call does not wait for ever, and one that gave up takes no worker.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, done := newWorkers(1), make(chan string, 100)
		for _, name := range []string{"long", "longer"} {
			go occupy(t.Context(), q, name, time.Minute, done)
		}
		synctest.Wait()
		start := time.Now()
		_, err := enter(t.Context(), q, "other", false, nil)
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != turnPatience {
			t.Errorf("error %v after %v, want that of the deadline after %v", err, time.Since(start), turnPatience)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := enter(ctx, q, "gone", false, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("a canceled call: %v", err)
		}
		<-done
		<-done
		if q.free != 2 || len(q.waiting) != 0 {
			t.Errorf("in the end %d workers are free and %d calls wait", q.free, len(q.waiting))
		}
	})
}

// A call that keeps the last worker for longer than little yields it to a client that has used little, and only then.
func TestLastWorkerIsYielded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, done := newWorkers(1), make(chan string, 100)
		go occupy(t.Context(), q, "greedy", time.Hour, done)
		synctest.Wait()
		yields := 0
		mustEnter := func(name string, yielded bool) (leave func()) {
			t.Helper()
			leave, err := enter(t.Context(), q, name, yielded, func() { yields++ })
			if err != nil {
				t.Fatal(err)
			}
			return leave
		}
		leave := mustEnter("fresh", false) // the last worker
		time.Sleep(2 * littleUse)
		synctest.Wait()
		if yields != 0 {
			t.Fatal("no caller gets the worker that was yielded")
		}
		time.AfterFunc(time.Second, leave) // the call ends a second after the others want the worker
		start := time.Now()
		another := mustEnter("another", false)
		if yields != 1 || time.Since(start) != time.Second {
			t.Fatalf("%d yields, worker after %v", yields, time.Since(start))
		}
		another()
		if _, err := enter(t.Context(), q, "fresh", true, nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a call that has yielded gets the last worker again: %v", err)
		}
		<-done
	})
}

// However many clients come for the first time with long calls, the short call of an honest one waits for the first
// 100 ms of each of them that came before it.
func TestNewClientsDoNotBlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, done := newWorkers(1), make(chan string, 100)
		const attackers = 8
		ctx, stop := context.WithCancel(t.Context())
		for i := range attackers {
			go func() {
				defer func() { done <- "attacker" }()
				for yielded := false; ctx.Err() == nil; {
					run, yield := context.WithCancel(ctx)
					leave, err := enter(run, q, string(rune('a'+i)), yielded, yield)
					if err != nil {
						yield()
						continue
					}
					work := time.NewTimer(time.Minute)
					select {
					case <-work.C:
					case <-run.Done():
						yielded = true
					}
					leave()
					yield()
				}
			}()
		}
		synctest.Wait()
		for range 50 {
			start := time.Now()
			occupy(t.Context(), q, "honest", time.Millisecond, done)
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
func TestQueueIsBounded(t *testing.T) {
	q := newWorkers(1)
	var leaves []func()
	for _, name := range []string{"first", "second"} {
		leave, err := q.Take(t.Context(), name)
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
	for range maxWaitingCalls {
		if newest = q.join([]string{"crowd"}, false, nil); displaced(newest) {
			t.Fatal("refused below the bound")
		}
	}
	if _, err := q.Take(t.Context(), "crowd"); !errors.Is(err, ErrDisplaced) {
		t.Errorf("above the bound: %v", err)
	}
	if displaced(newest) {
		t.Error("a call of the client with most displaced another of its own")
	}
	if w := q.join([]string{"other"}, false, nil); displaced(w) || !displaced(newest) {
		t.Error("the crowd keeps another client out")
	}
	if len(q.waiting) != maxWaitingCalls {
		t.Errorf("%d calls wait, want %d", len(q.waiting), maxWaitingCalls)
	}
	if q.giveUp(newest) {
		t.Error("a displaced call gets a turn")
	}
	for _, leave := range leaves {
		leave()
	}
	many := newWorkers(1)
	for i := range 3 * maxRemembered {
		leave, err := many.Take(t.Context(), string(rune(i)))
		if err != nil {
			t.Fatal(err)
		}
		leave()
	}
	if len(many.names) > maxRemembered+1 {
		t.Errorf("%d connections are remembered", len(many.names))
	}
}

// A client that spreads its calls over connections, or over the addresses of an IPv6 network that one customer may
// have, has no more than its half of the workers. spec: rpc 9.6
func TestWorkersOfOneClient(t *testing.T) {
	for _, c := range []struct {
		name    string
		remotes []string
		shares  int
	}{
		{"ports", []string{"203.0.113.7:1", "203.0.113.7:2", "203.0.113.7:3", "203.0.113.7:4"}, 1},
		{"networks of 56 bits", []string{"[2001:db8::1]:1", "[2001:db8:0:1::1]:1", "[2001:db8:0:2::1]:1"}, 5},
		{"networks of 48 bits", []string{"[2001:db8::1]:1", "[2001:db8:0:100::1]:1", "[2001:db8:0:200::1]:1"}, 7},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := newWorkers(4)
			for _, remote := range c.remotes {
				q.join(gethrpc.CallersOf(remote), false, nil)
			}
			if q.free != 3 || len(q.names) != c.shares {
				t.Errorf("%d workers are free for others, want 3; %d shares, want %d", q.free, len(q.names), c.shares)
			}
		})
	}
}

// What an IPv6 network has used counts for its other addresses, a wider one by less. spec: rpc 9.6
func TestUseOfNetworks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, done := newWorkers(1), make(chan string, 1)
		occupy(t.Context(), q, "[2001:db8:0:1::1]:1", 16*littleUse, done)
		<-done
		for _, c := range []struct {
			remote string
			want   time.Duration
		}{
			{"[2001:db8:0:1::2]:1", 16 * littleUse},
			{"[2001:db8:0:2::1]:1", 4 * littleUse},
			{"[2001:db8:0:100::1]:1", littleUse},
			{"[2001:db8:1::1]:1", 0},
		} {
			w := q.join(gethrpc.CallersOf(c.remote), false, nil)
			if used := w.owner.usedAt(time.Now()); used != c.want {
				t.Errorf("%s has used %v, want %v", c.remote, used, c.want)
			}
		}
	})
}

// Callers of one name come one after the other, those of other names do not wait, and nothing is left over.
func TestLocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := NewLocks[string]()
		take := func(key string) func() {
			end, err := all.Take(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			return end
		}
		first, other := take("a"), take("b")
		entered := false
		go func() {
			end := take("a")
			entered = true
			end()
		}()
		synctest.Wait()
		if entered || all.Callers("a") != 2 {
			t.Errorf("of %d callers a second one has a place", all.Callers("a"))
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := all.Take(ctx, "a"); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		first()
		synctest.Wait()
		if !entered {
			t.Error("no caller entered when the one before had ended")
		}
		other()
		if n := all.Len(); n != 0 {
			t.Errorf("%d callers are left", n)
		}
	})
}
