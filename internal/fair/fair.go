// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package fair lets a bounded number of callers work at the same time. Among those that wait, a caller of the client
// that has used least lately comes first.
package fair

import (
	"context"
	"math"
	"sync"
	"time"
)

const (
	halfLife      = 10 * time.Second // of the time that a client has used
	maxRemembered = 4096             // clients without a caller
)

// Queue hands out places, to each client a share of them at most. It is safe for concurrent use.
type Queue struct {
	share int

	mu      sync.Mutex
	free    int
	clients map[string]*client
	waiting []*waiter // in the order of arrival
}

type client struct {
	callers int // that have or want a place
	running int
	used    time.Duration // decays with halfLife
	at      time.Time     // of used
}

type waiter struct {
	client *client
	turn   chan struct{} // closed when it has a place
}

// New returns a queue of a number of places, of which one client has at most share.
func New(places, share int) *Queue {
	return &Queue{share: share, free: places, clients: make(map[string]*client)}
}

// Take waits for a place of a client. The caller ends its use. The error is that of ctx.
func (q *Queue) Take(ctx context.Context, name string) (end func(), err error) {
	w := q.join(name)
	select {
	case <-w.turn:
	case <-ctx.Done():
		if q.leave(w) {
			return nil, ctx.Err()
		}
	}
	start := time.Now()
	return func() { q.end(w.client, time.Since(start)) }, nil
}

// Len returns the number of callers that have or want a place.
func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	callers := 0
	for _, c := range q.clients {
		callers += c.callers
	}
	return callers
}

func (q *Queue) join(name string) *waiter {
	q.mu.Lock()
	defer q.mu.Unlock()
	c := q.clients[name]
	if c == nil {
		c = &client{at: time.Now()}
		q.clients[name] = c
	}
	c.callers++
	w := &waiter{c, make(chan struct{})}
	q.waiting = append(q.waiting, w)
	q.grant()
	return w
}

// leave takes a caller from those that wait. It reports false for one that has got its place meanwhile.
func (q *Queue) leave(w *waiter) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, other := range q.waiting {
		if other == w {
			q.waiting = append(q.waiting[:i], q.waiting[i+1:]...)
			w.client.callers--
			q.forget()
			return true
		}
	}
	return false
}

func (q *Queue) end(c *client, elapsed time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	c.used, c.at = c.usedAt(now)+elapsed, now
	c.running--
	c.callers--
	q.free++
	q.grant()
	q.forget()
}

// grant gives the free places to callers that wait.
func (q *Queue) grant() {
	for q.free > 0 {
		i := q.next()
		if i < 0 {
			return
		}
		w := q.waiting[i]
		q.waiting = append(q.waiting[:i], q.waiting[i+1:]...)
		q.free--
		w.client.running++
		close(w.turn)
	}
}

// next returns the index of the caller that comes next, -1 if there is none.
func (q *Queue) next() int {
	next, least, now := -1, time.Duration(math.MaxInt64), time.Now()
	for i, w := range q.waiting {
		if w.client.running >= q.share {
			continue
		}
		if used := w.client.usedAt(now); used < least {
			next, least = i, used
		}
	}
	return next
}

// forget drops clients without a caller when there are many.
func (q *Queue) forget() {
	if len(q.clients) <= maxRemembered {
		return
	}
	for name, c := range q.clients {
		if c.callers == 0 {
			delete(q.clients, name)
		}
	}
}

func (c *client) usedAt(now time.Time) time.Duration {
	return time.Duration(float64(c.used) * math.Exp2(-now.Sub(c.at).Seconds()/halfLife.Seconds()))
}
