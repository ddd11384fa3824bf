// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package limit

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	gethrpc "github.com/ethereum/go-ethereum/rpc"
)

const (
	halfLife      = 10 * time.Second // of the time that an owner has used
	maxRemembered = 4096             // names without a caller
)

// ErrDisplaced is the error of a caller that had to leave a full queue.
var ErrDisplaced = errors.New("the queue is full, and this caller's owner has most of it")

// Bounds are those of a queue.
type Bounds struct {
	Places   int // callers that work at the same time
	PerOwner int // of these, callers of one owner; wider names have no more
	Waiting  int // callers that wait

	// Little makes one more place, for owners that have used less than this lately: their short calls do not wait for the
	// end of a long one. A caller that has had it for that long yields it. 0 makes none.
	Little time.Duration
}

// Queue hands out places. Of the callers that wait, one of the owner that has used least lately comes first. Beyond the
// bound the newest caller of the owner with most of them leaves. It is safe for concurrent use.
type Queue[K comparable] struct {
	bounds Bounds

	mu      sync.Mutex
	free    int // places, with the one for owners that have used little
	names   map[K]*use
	waiting []*waiter // in the order of arrival
	last    *running  // has the last place; nil when no caller has, or without a bound for little use
}

// use is what callers of one name use.
type use struct {
	running int
	waiting int
	used    time.Duration // decays with halfLife
	at      time.Time     // of used
}

// uses is what the names of one owner use, from the narrowest on.
type uses []*use

// running is a caller that has a place.
type running struct {
	owner uses
	since time.Time
	yield func() // asks the caller to end, which may wait again; called once at most, nil for none
}

type waiter struct {
	owner uses
	again bool          // it has yielded the last place
	yield func()        // as in running
	run   *running      // set before turn is closed
	turn  chan struct{} // closed when it has a place
	gone  chan struct{} // closed when it is displaced
}

// NewQueue returns a queue.
func NewQueue[K comparable](bounds Bounds) *Queue[K] {
	q := &Queue[K]{bounds: bounds, free: bounds.Places, names: make(map[K]*use)}
	if bounds.Little > 0 {
		q.free++
	}
	return q
}

// NewLocks returns a queue in which each owner has one place: callers of one name come one after the other.
func NewLocks[K comparable]() *Queue[K] {
	return NewQueue[K](Bounds{Places: math.MaxInt, PerOwner: 1, Waiting: math.MaxInt})
}

// Take waits for a place of an owner. The caller ends its use. The error is that of ctx, or ErrDisplaced.
func (q *Queue[K]) Take(ctx context.Context, owner ...K) (end func(), err error) {
	return q.TakeYielding(ctx, owner, false, nil)
}

// TakeYielding is Take of a caller that ends early when yield is called: it has had the last place for its time, and an
// owner that has used little wants that. yield is called once at most, and must not wait. With again the caller has
// yielded before, and does not get the last place.
func (q *Queue[K]) TakeYielding(ctx context.Context, owner []K, again bool, yield func()) (end func(), err error) {
	w := q.join(owner, again, yield)
	select {
	case <-w.turn:
	case <-w.gone:
		return nil, ErrDisplaced
	case <-ctx.Done():
		if !q.giveUp(w) {
			return nil, ctx.Err()
		}
	}
	start := time.Now()
	return func() { q.end(w.run, time.Since(start)) }, nil
}

// Len returns the number of callers that have or want a place.
func (q *Queue[K]) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	callers := len(q.waiting)
	if q.bounds.Little > 0 {
		callers++
	}
	return callers + q.bounds.Places - q.free
}

// Callers returns the number of callers of a name that have or want a place.
func (q *Queue[K]) Callers(name K) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	if u := q.names[name]; u != nil {
		return u.running + u.waiting
	}
	return 0
}

// join adds a caller to those that wait and gives free places to the next ones, this one perhaps among them.
func (q *Queue[K]) join(owner []K, again bool, yield func()) *waiter {
	q.mu.Lock()
	defer q.mu.Unlock()
	names := make(uses, len(owner))
	for i, name := range owner {
		u := q.names[name]
		if u == nil {
			u = &use{at: time.Now()}
			q.names[name] = u
		}
		names[i] = u
		u.waiting++
	}
	w := &waiter{owner: names, again: again, yield: yield, turn: make(chan struct{}), gone: make(chan struct{})}
	q.waiting = append(q.waiting, w)
	q.grant()
	if len(q.waiting) > q.bounds.Waiting {
		q.displace(w)
	}
	return w
}

// displace refuses the newest waiting caller of the owner with most of them: of w's where no other has more.
func (q *Queue[K]) displace(w *waiter) {
	most := w.owner
	for _, other := range q.waiting {
		if other.owner.waiting() > most.waiting() {
			most = other.owner
		}
	}
	for i := len(q.waiting) - 1; i >= 0; i-- {
		if w := q.waiting[i]; w.owner[0] == most[0] {
			q.take(i)
			close(w.gone)
			return
		}
	}
}

// take takes a caller from those that wait.
func (q *Queue[K]) take(index int) {
	for _, u := range q.waiting[index].owner {
		u.waiting--
	}
	q.waiting = append(q.waiting[:index], q.waiting[index+1:]...)
}

// giveUp takes a caller from those that wait. It reports whether the caller has got a place in the meantime.
func (q *Queue[K]) giveUp(w *waiter) (hasPlace bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, other := range q.waiting {
		if other == w {
			q.take(i)
			q.forget()
			return false
		}
	}
	select {
	case <-w.turn:
		return true
	default:
		return false // displaced
	}
}

func (q *Queue[K]) end(run *running, elapsed time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	for _, u := range run.owner {
		u.used, u.at = u.usedAt(now)+elapsed, now
		u.running--
	}
	q.free++
	q.last = nil // it ends, or has this one's place from now on
	q.grant()
	q.forget()
}

// grant gives the free places to callers that wait. When an owner that has used little finds none, the caller that has
// the last one yields it, once it has had its time.
func (q *Queue[K]) grant() {
	little := q.bounds.Little
	for q.free > 0 {
		next := q.next(little > 0 && q.free == 1)
		if next < 0 {
			return
		}
		w := q.waiting[next]
		q.take(next)
		w.run = &running{w.owner, time.Now(), w.yield}
		for _, u := range w.owner {
			u.running++
		}
		if q.free--; q.free == 0 && little > 0 {
			q.last = w.run
			time.AfterFunc(little, q.overdue)
		}
		close(w.turn)
	}
	if last := q.last; last != nil && last.yield != nil && time.Since(last.since) >= little && q.next(true) >= 0 {
		last.yield()
		last.yield = nil
	}
}

// overdue is called when a caller may have had the last place for its time.
func (q *Queue[K]) overdue() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.grant()
}

// next returns the index of the caller that comes next, -1 if there is none. little leaves out owners that have used
// more than that.
func (q *Queue[K]) next(little bool) int {
	next, least, now := -1, time.Duration(math.MaxInt64), time.Now()
	if little {
		least = q.bounds.Little
	}
	for i, w := range q.waiting {
		if little && w.again || w.owner.running() >= q.bounds.PerOwner {
			continue
		}
		if used := w.owner.usedAt(now); used < least {
			next, least = i, used
		}
	}
	return next
}

// forget drops names without a caller when there are many.
func (q *Queue[K]) forget() {
	if len(q.names) <= maxRemembered {
		return
	}
	for name, u := range q.names {
		if u.running == 0 && u.waiting == 0 {
			delete(q.names, name)
		}
	}
}

func (u *use) usedAt(now time.Time) time.Duration {
	return time.Duration(float64(u.used) * math.Exp2(-now.Sub(u.at).Seconds()/halfLife.Seconds()))
}

// usedAt returns what an owner has used: a wider name may use more than a narrow one.
func (o uses) usedAt(now time.Time) (most time.Duration) {
	for i, u := range o {
		most = max(most, u.usedAt(now)/time.Duration(gethrpc.AllowanceOf(i)))
	}
	return most
}

// running returns the number of places that the widest name of an owner has. Places are few, so that wider names have
// no more of them.
func (o uses) running() int { return o[len(o)-1].running }

// waiting returns how many callers of an owner wait, as many of a wide name as of a narrow one for each of its
// allowance.
func (o uses) waiting() (most int) {
	for i, u := range o {
		most = max(most, u.waiting/gethrpc.AllowanceOf(i))
	}
	return most
}
