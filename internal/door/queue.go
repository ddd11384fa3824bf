// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package door

import (
	"cmp"
	"context"
	"math"
	"sync"
	"time"
)

// Places are the bounds of a queue.
type Places struct {
	All      int // callers that work at the same time
	PerOwner int // of these, callers of one owner; wider names have no more
	Waiting  int // callers that wait

	// Quantum is how long an owner has places before it is the turn of the next one (deficit round robin), so that owners
	// of short calls have as much time as those of long ones. Zero is one place.
	Quantum time.Duration
}

// Queue hands out places. Owners that wait take turns: round robin between the widest names, within one of these
// between the narrower ones, and in the order of arrival within the narrowest. Beyond the bound the newest caller of
// the owner with most of them leaves, and of equal owners the one that has had most turns while others waited (least
// attained service). It is safe for concurrent use.
type Queue[K comparable] struct {
	places Places

	mu      sync.Mutex
	free    int
	running map[K]int // by widest name, without zeros
	root    ring[K]
	waiting int
	of      map[K]int // callers that wait, by name, without zeros
	had     map[K]int // turns by name since none has waited
}

// ring has the callers that wait under one name: in rings of narrower names, or themselves under the narrowest.
type ring[K comparable] struct {
	name  K
	inner []*ring[K] // in the order of their turns, without empty ones
	calls []*waiter[K]
	used  time.Duration // of the quantum of its turn
}

type waiter[K comparable] struct {
	owner []K
	turn  chan struct{} // closed when it has a place, or has to leave
	gone  bool          // set before turn is closed
}

// NewQueue returns a queue.
func NewQueue[K comparable](places Places) *Queue[K] {
	return &Queue[K]{places: places, free: places.All, running: make(map[K]int), of: make(map[K]int),
		had: make(map[K]int)}
}

// NewLocks returns a queue in which each owner has one place: callers of one name come one after the other.
func NewLocks[K comparable]() *Queue[K] {
	return NewQueue[K](Places{All: math.MaxInt, PerOwner: 1, Waiting: math.MaxInt})
}

// Take waits for a place of an owner. The caller ends its use once. The error is that of ctx, or ErrDisplaced.
func (q *Queue[K]) Take(ctx context.Context, owner ...K) (end func(), err error) {
	if err := q.enter(ctx, owner); err != nil {
		return nil, err
	}
	begun := time.Now()
	return func() { q.leave(owner, begun) }, nil
}

// Len returns the number of callers that have or want a place.
func (q *Queue[K]) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.waiting + q.places.All - q.free
}

// Callers returns the number of callers of a widest name that have or want a place.
func (q *Queue[K]) Callers(name K) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.running[name] + q.of[name]
}

// isWanted reports whether a caller of another place waits.
func (q *Queue[K]) isWanted() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.waiting > 0
}

func (q *Queue[K]) enter(ctx context.Context, owner []K) error {
	w := q.join(owner)
	if w == nil {
		return nil
	}
	select {
	case <-w.turn:
	case <-ctx.Done():
		if q.giveUp(w) {
			return ctx.Err() //nolint:wrapcheck // the caller knows its context
		}
	}
	if w.gone {
		return ErrDisplaced
	}
	return nil
}

// leave ends the use of a place since a time.
func (q *Queue[K]) leave(owner []K, since time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.free++
	add(q.running, owner[len(owner)-1], -1)
	if q.places.Quantum > 0 {
		q.root.spend(owner, time.Since(since), q.places.Quantum)
	}
	q.grant()
}

// join gives a caller a place, and returns nil then, or adds it to those that wait.
func (q *Queue[K]) join(owner []K) *waiter[K] {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.free > 0 && q.mayRun(owner) && q.of[owner[len(owner)-1]] == 0 {
		q.run(owner)
		return nil
	}
	if q.waiting == 0 || len(q.had) > maxNames {
		clear(q.had)
	}
	w := &waiter[K]{owner: owner, turn: make(chan struct{})}
	at := &q.root
	for i := len(owner) - 1; i >= 0; i-- {
		at = at.of(owner[i])
		add(q.of, owner[i], 1)
	}
	at.calls = append(at.calls, w)
	q.waiting++
	if q.waiting > q.places.Waiting {
		q.displace(w)
	}
	return w
}

// run gives a place to a caller.
func (q *Queue[K]) run(owner []K) {
	q.free--
	add(q.running, owner[len(owner)-1], 1)
}

func (q *Queue[K]) mayRun(owner []K) bool { return q.running[owner[len(owner)-1]] < q.places.PerOwner }

// grant gives the free places to callers that wait.
func (q *Queue[K]) grant() {
	for q.free > 0 && q.waiting > 0 {
		w := q.root.next(q.mayRun, q.places.Quantum > 0)
		if w == nil {
			return
		}
		q.forget(w)
		q.run(w.owner)
		for _, name := range w.owner {
			q.had[name]++
		}
		close(w.turn)
	}
}

// displace has the newest caller of the owner with most of them leave: of w's where no other has more. It looks at all
// callers, which takes less than their wait for a turn of shortTime.
func (q *Queue[K]) displace(w *waiter[K]) {
	most := w
	q.root.each(func(other *waiter[K]) {
		more := cmp.Or(mostOf(q.of, other.owner)-mostOf(q.of, most.owner),
			mostOf(q.had, other.owner)-mostOf(q.had, most.owner))
		if more > 0 || other.owner[0] == most.owner[0] {
			most = other // the newest of its owner, because the oldest is seen first
		}
	})
	q.root.take(most)
	q.forget(most)
	most.gone = true
	close(most.turn)
}

// mostOf returns how much an owner has: the most that one of its names has for each of its allowance.
func mostOf[K comparable](counts map[K]int, owner []K) (most int) {
	for i, name := range owner {
		most = max(most, counts[name]/allowanceOf(i))
	}
	return most
}

// giveUp takes a caller from those that wait, and reports whether it was there.
func (q *Queue[K]) giveUp(w *waiter[K]) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.root.take(w) {
		return false // it has got a place, or has left, in the meantime
	}
	q.forget(w)
	return true
}

// forget ends the count of a caller that waits.
func (q *Queue[K]) forget(w *waiter[K]) {
	q.waiting--
	for _, name := range w.owner {
		add(q.of, name, -1)
	}
}

func add[K comparable](counts map[K]int, name K, n int) {
	if counts[name] += n; counts[name] == 0 {
		delete(counts, name)
	}
}

// of returns the ring of a narrower name, which is made at the end of the turns.
func (r *ring[K]) of(name K) *ring[K] {
	for _, inner := range r.inner {
		if inner.name == name {
			return inner
		}
	}
	inner := &ring[K]{name: name}
	r.inner = append(r.inner, inner)
	return inner
}

func (r *ring[K]) isEmpty() bool { return len(r.inner) == 0 && len(r.calls) == 0 }

// next takes the caller whose turn it is, of those that may run; nil if there is none. Its names come last then, unless
// they stay until they have used a quantum.
func (r *ring[K]) next(mayRun func([]K) bool, stay bool) *waiter[K] {
	if len(r.calls) > 0 {
		w := r.calls[0]
		if !mayRun(w.owner) {
			return nil
		}
		r.calls = r.calls[1:]
		return w
	}
	for i, inner := range r.inner {
		if w := inner.next(mayRun, stay); w != nil {
			if !stay || inner.isEmpty() {
				r.inner = append(r.inner[:i:i], r.inner[i+1:]...)
			}
			if !stay && !inner.isEmpty() {
				r.inner = append(r.inner, inner)
			}
			return w
		}
	}
	return nil
}

// spend takes time off the quantum of an owner that still waits. Names that have used theirs come last.
func (r *ring[K]) spend(owner []K, took, quantum time.Duration) {
	for i, inner := range r.inner {
		if inner.name != owner[len(owner)-1] {
			continue
		}
		if inner.used += took; inner.used >= quantum {
			inner.used = 0
			r.inner = append(append(r.inner[:i:i], r.inner[i+1:]...), inner)
		}
		if len(owner) > 1 {
			inner.spend(owner[:len(owner)-1], took, quantum)
		}
		return
	}
}

// each calls visit for each caller; those of one owner in the order of arrival.
func (r *ring[K]) each(visit func(*waiter[K])) {
	for _, w := range r.calls {
		visit(w)
	}
	for _, inner := range r.inner {
		inner.each(visit)
	}
}

// take takes a caller out, and reports whether it was there.
func (r *ring[K]) take(w *waiter[K]) bool {
	for i, other := range r.calls {
		if other == w {
			r.calls = append(r.calls[:i:i], r.calls[i+1:]...)
			return true
		}
	}
	for i, inner := range r.inner {
		if inner.take(w) {
			if inner.isEmpty() {
				r.inner = append(r.inner[:i:i], r.inner[i+1:]...)
			}
			return true
		}
	}
	return false
}
