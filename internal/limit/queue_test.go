// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package limit

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// bench runs callers of a queue, each for a time, and records the order in which they begin.
type bench struct {
	*Queue[string]
	t *testing.T

	mu      sync.Mutex
	order   []string
	running map[string]int
	most    int // of all at the same time
	all     int
}

func (b *bench) call(name string, work time.Duration) {
	end, err := b.Take(b.t.Context(), name)
	if err != nil {
		b.t.Error(err)
		return
	}
	b.mu.Lock()
	b.order = append(b.order, name)
	b.running[name]++
	b.all++
	b.most = max(b.most, b.all)
	if b.running[name] > b.bounds.PerOwner {
		b.t.Errorf("%s has %d places, its share is %d", name, b.running[name], b.bounds.PerOwner)
	}
	b.mu.Unlock()
	time.Sleep(work)
	b.mu.Lock()
	b.running[name]--
	b.all--
	b.mu.Unlock()
	end()
}

func newQueue(places, share int) *Queue[string] {
	return NewQueue[string](Bounds{Places: places, PerOwner: share, Waiting: 1000})
}

func newBench(t *testing.T, places, share int) *bench {
	return &bench{Queue: newQueue(places, share), t: t, running: make(map[string]int)}
}

// TestPlaces: no more callers work than there are places, and no more of a client than its share.
func TestPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, 4, 2)
		for i := range 30 {
			go b.call(fmt.Sprint(i%3), time.Second)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(b.order) != 30 || b.most != 4 {
			t.Errorf("%d callers had a place, %d at the same time; want 30 and 4", len(b.order), b.most)
		}
		if n := b.Len(); n != 0 {
			t.Errorf("%d callers are left", n)
		}
	})
}

// TestLeastUsedFirst: a client that has used nothing passes all waiting callers of those that have, however many names
// these have.
func TestLeastUsedFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, 2, 1)
		for i := range 48 {
			for range 3 {
				go b.call(fmt.Sprint("stranger ", i), 2*time.Second)
			}
		}
		time.Sleep(50 * time.Second) // every stranger has had a place
		synctest.Wait()
		before := len(b.order)
		start := time.Now()
		b.call("honest", time.Millisecond)
		if waited := time.Since(start); waited > 2*time.Second+time.Millisecond {
			t.Errorf("the honest client waited for %v behind %d callers", waited, 3*48-before)
		}
		time.Sleep(5 * time.Minute)
		synctest.Wait()
	})
}

// TestUseIsForgotten: what a client has used long ago does not count against one that has just used something.
func TestUseIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, 1, 1)
		b.call("long ago", 4*time.Second)
		time.Sleep(10 * halfLife)
		b.call("lately", time.Second)
		go b.call("busy", time.Second)
		synctest.Wait()
		go b.call("lately", 0)
		synctest.Wait()
		go b.call("long ago", 0)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if got := fmt.Sprint(b.order[3:]); got != "[long ago lately]" {
			t.Errorf("order %s", got)
		}
	})
}

// TestGivingUp: a caller whose context ends leaves, and its place goes to another.
func TestGivingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, 1, 1)
		go b.call("a", time.Second)
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := b.Take(ctx, "b"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		b.call("c", 0)
		if n := b.Len(); n != 0 {
			t.Errorf("%d callers are left", n)
		}
	})
}

// TestForgotten: clients without callers take a bounded amount of memory.
func TestForgotten(t *testing.T) {
	q := newQueue(1, 1)
	for i := range 2 * maxRemembered {
		end, err := q.Take(t.Context(), fmt.Sprint(i))
		if err != nil {
			t.Fatal(err)
		}
		end()
	}
	if n := len(q.names); n > maxRemembered {
		t.Errorf("%d names are remembered, want %d at most", n, maxRemembered)
	}
}
