// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package minblock

import (
	"sync"
	"time"
)

// heads wakes all requests that wait when the chain has grown. One goroutine looks for them, and only while there are
// any.
type heads struct {
	chain Chain

	mu      sync.Mutex
	waiting int
	looking bool
	final   uint64
	moved   chan struct{} // closed when the chain has a later block than final
}

func newHeads(chain Chain) *heads { return &heads{chain: chain, moved: make(chan struct{})} }

// join counts a request that waits until leave is called.
func (h *heads) join() (leave func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.waiting++
	if !h.looking {
		h.looking = true
		h.final = h.chain.Final()
		go h.look()
	}
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.waiting--
	}
}

// next returns a channel that is closed when a block has come that a look at the chain after this call does not show.
func (h *heads) next() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.moved
}

func (h *heads) look() {
	ticker := time.Tick(look)
	for range ticker {
		if !h.wake() {
			return
		}
	}
}

// wake wakes the requests if the chain has grown. It reports whether any wait.
func (h *heads) wake() bool {
	final := h.chain.Final() // not under the lock, which requests take
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.waiting == 0 {
		h.looking = false
		return false
	}
	if final != h.final { // a test node may go back
		h.final = final
		close(h.moved)
		h.moved = make(chan struct{})
	}
	return true
}
