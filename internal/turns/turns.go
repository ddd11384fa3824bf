// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package turns lets a bounded number of callers work on one thing at the same time. Others wait for their turn.
package turns

import (
	"context"
	"sync"
)

// Turns are the turns of all keys. It is safe for concurrent use. Keys without callers take no memory.
type Turns[K comparable] struct {
	places int

	mu  sync.Mutex
	all map[K]*turn
}

type turn struct {
	taken chan struct{}
	users int
}

// New returns turns in which each key has this many places.
func New[K comparable](places int) *Turns[K] {
	return &Turns[K]{places: places, all: make(map[K]*turn)}
}

// Take waits for a place of a key. The caller ends the turn. The error is that of ctx.
func (t *Turns[K]) Take(ctx context.Context, key K) (end func(), err error) {
	t.mu.Lock()
	mine := t.all[key]
	if mine == nil {
		mine = &turn{taken: make(chan struct{}, t.places)}
		t.all[key] = mine
	}
	mine.users++
	t.mu.Unlock()
	leave := func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if mine.users--; mine.users == 0 {
			delete(t.all, key)
		}
	}
	select {
	case mine.taken <- struct{}{}:
		return func() { <-mine.taken; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}

// Waiting returns the number of callers that have or want a place of a key.
func (t *Turns[K]) Waiting(key K) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if mine := t.all[key]; mine != nil {
		return mine.users
	}
	return 0
}

// Len returns the number of keys that have callers.
func (t *Turns[K]) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.all)
}
