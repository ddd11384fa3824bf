// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package door

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
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

	mu    sync.Mutex
	free  int
	calls []*caller   // that wait, in the order of arrival
	names map[K]*name // that have callers, or have had turns; others are forgotten when callers begin to wait
	turns int         // that were lined up for
}

// name is what one name of owners has.
type name struct {
	running, waiting int           // callers
	had              int           // turns since callers began to wait
	turn             int           // names with lower ones come first
	used             time.Duration // of the quantum of its turn
}

type caller struct {
	names []*name       // of its owner, from the narrowest on
	turn  chan struct{} // closed when it has a place, or has to leave
	gone  bool          // set before turn is closed
}

// NewQueue returns a queue.
func NewQueue[K comparable](places Places) *Queue[K] {
	return &Queue[K]{places: places, free: places.All, names: make(map[K]*name)}
}

// NewLocks returns a queue in which each owner has one place: callers of one name come one after the other.
func NewLocks[K comparable]() *Queue[K] {
	return NewQueue[K](Places{All: math.MaxInt, PerOwner: 1, Waiting: math.MaxInt})
}

// Take waits for a place of an owner. The caller ends its use once. The error is that of ctx, or ErrDisplaced.
func (q *Queue[K]) Take(ctx context.Context, owner ...K) (end func(), err error) {
	c := q.join(owner)
	select {
	case <-c.turn:
	case <-ctx.Done():
		if q.giveUp(c) {
			return nil, ctx.Err() //nolint:wrapcheck // the caller knows its context
		}
	}
	if c.gone {
		return nil, ErrDisplaced
	}
	begun := time.Now()
	return func() { q.leave(c, time.Since(begun)) }, nil
}

// Len returns the number of callers that have or want a place.
func (q *Queue[K]) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.calls) + q.places.All - q.free
}

// IsWanted reports whether a caller of another place waits.
func (q *Queue[K]) IsWanted() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.calls) > 0
}

// join adds a caller to those that wait, unless it gets a place or has to leave at once.
func (q *Queue[K]) join(owner []K) *caller {
	q.mu.Lock()
	defer q.mu.Unlock()
	c := &caller{turn: make(chan struct{})}
	for _, key := range owner {
		n := q.names[key]
		if n == nil {
			n = new(name)
			q.names[key] = n
		}
		if n.waiting == 0 {
			q.lineUp(n)
		}
		n.waiting++
		c.names = append(c.names, n)
	}
	q.calls = append(q.calls, c)
	q.grant()
	if len(q.calls) == 1 && q.calls[0] == c || len(q.names) > maxNames { // c is the first that waits
		maps.DeleteFunc(q.names, func(_ K, n *name) bool {
			n.had = 0
			return n.running+n.waiting == 0
		})
	}
	if len(q.calls) > q.places.Waiting {
		q.displace(c)
	}
	return c
}

// lineUp puts a name behind all others.
func (q *Queue[K]) lineUp(n *name) {
	q.turns++
	n.turn, n.used = q.turns, 0
}

// grant gives the free places to callers that wait.
func (q *Queue[K]) grant() {
	for q.free > 0 {
		c := q.next()
		if c == nil {
			break
		}
		q.remove(c)
		q.free--
		for _, n := range c.names {
			n.running++
			n.had++
			if q.places.Quantum == 0 {
				q.lineUp(n)
			}
		}
		close(c.turn)
	}
}

// next returns the caller whose turn it is, of those whose owners may have a place more; nil for none. It looks at all
// of them, like displace, which takes less than a turn of shortTime.
func (q *Queue[K]) next() (first *caller) {
	for _, c := range q.calls {
		if c.names[len(c.names)-1].running < q.places.PerOwner && (first == nil || c.isBefore(first)) {
			first = c
		}
	}
	return first
}

// isBefore reports whether it is the turn of a caller before that of another, which has come earlier.
func (c *caller) isBefore(other *caller) bool {
	for i, j := len(c.names)-1, len(other.names)-1; i >= 0 && j >= 0; i, j = i-1, j-1 {
		if c.names[i] != other.names[j] {
			return c.names[i].turn < other.names[j].turn
		}
	}
	return false
}

// leave ends the use of a place for a time. Names that have used their quantum come last.
func (q *Queue[K]) leave(c *caller, took time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.free++
	for _, n := range c.names {
		n.running--
		if n.used += took; q.places.Quantum > 0 && n.used >= q.places.Quantum {
			q.lineUp(n)
		}
	}
	q.grant()
}

// displace has the newest caller of the owner with most of them leave: of c's where no other has more.
func (q *Queue[K]) displace(c *caller) {
	most := c
	waiting, had := c.most()
	for _, other := range q.calls {
		w, h := other.most()
		if more := cmp.Or(w-waiting, h-had); more > 0 || other.names[0] == most.names[0] {
			most, waiting, had = other, w, h // the newest of its owner, because the oldest is seen first
		}
	}
	q.remove(most)
	most.gone = true
	close(most.turn)
}

// most returns how many callers wait and how many turns were had, of the name that has most for its allowance.
func (c *caller) most() (waiting, had int) {
	for i, n := range c.names {
		waiting, had = max(waiting, n.waiting/allowanceOf(i)), max(had, n.had/allowanceOf(i))
	}
	return waiting, had
}

// giveUp takes a caller from those that wait, and reports whether it was there.
func (q *Queue[K]) giveUp(c *caller) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !slices.Contains(q.calls, c) {
		return false // it has got a place, or has left, in the meantime
	}
	q.remove(c)
	return true
}

// remove takes a caller from those that wait.
func (q *Queue[K]) remove(c *caller) {
	q.calls = slices.DeleteFunc(q.calls, func(other *caller) bool { return other == c })
	for _, n := range c.names {
		n.waiting--
	}
}
