// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"container/heap"

	"github.com/ethereum/go-ethereum/common"
)

// order ranks executable transactions by what the next proposer gets from each, in wei per gas. No transaction is worth
// more than an earlier one of its sender. Among equals the newest is evicted first. spec: transactions 3.3
type order struct {
	by     pricer
	number uint64        // identifies the prices in use
	heap   *evictionHeap // nil until a full pool needs it
}

// pricer sets the worth of the executable transactions of an account, from an index on.
type pricer interface {
	price(t *tables, a *account, from int)
}

// invalidate discards the prices, because base fee or tip have changed.
func (x *order) invalidate() { x.heap = nil }

// evictedBefore reports whether x is evicted before y: the one that is worth less, of equals the newer one.
func evictedBefore(x, y *entry) bool {
	if c := x.worth.Cmp(&y.worth); c != 0 {
		return c < 0
	}
	return x.seq > y.seq
}

// evictionHeap is a heap of the accounts with executable transactions. The one on top has the last transaction that is
// evicted first.
type evictionHeap []*account

// Len implements heap.Interface.
func (h evictionHeap) Len() int { return len(h) }

// Less implements heap.Interface.
func (h evictionHeap) Less(i, j int) bool { return evictedBefore(h[i].last(), h[j].last()) }

// Swap implements heap.Interface.
func (h evictionHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

// Push implements heap.Interface.
func (h *evictionHeap) Push(x any) {
	a, ok := x.(*account)
	if !ok {
		panic("an eviction heap holds accounts")
	}
	a.index = len(*h)
	*h = append(*h, a)
}

// Pop implements heap.Interface.
func (h *evictionHeap) Pop() any {
	last := len(*h) - 1
	a := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	a.index = -1
	return a
}

// evictionOrder returns the heap, rebuilt if prices have changed.
func (t *tables) evictionOrder() evictionHeap {
	x := &t.order
	if x.heap == nil {
		x.number++
		made := make(evictionHeap, 0, len(t.accounts))
		for _, a := range t.accounts {
			a.index = -1
			if a.executable > 0 {
				t.price(a, 0)
				a.index = len(made)
				made = append(made, a)
			}
		}
		heap.Init(&made)
		x.heap = &made
	}
	return *x.heap
}

// price has the pricer set the worth of the executable transactions of an account, from an index on.
func (t *tables) price(a *account, from int) {
	t.order.by.price(t, a, from)
	a.priced = t.order.number
}

// reorder moves an account that has changed to its index in the heap.
func (t *tables) reorder(a *account) {
	x := &t.order
	if x.heap == nil {
		return
	}
	if a.executable == 0 {
		if a.index >= 0 {
			heap.Remove(x.heap, a.index)
		}
		return
	}
	if a.priced != x.number {
		t.price(a, 0)
	} else {
		t.price(a, a.executable-1)
	}
	if a.index < 0 {
		heap.Push(x.heap, a)
	} else {
		heap.Fix(x.heap, a.index)
	}
}

// victims returns the transactions to evict for e until the slots and bytes are free, in the order of eviction, and
// whether there are enough of them. Each is worth less than e, and of another sender.
func (h evictionHeap) victims(e *entry, slots, bytes uint64) (list []*entry, enough bool) {
	next := tails{order: h}
	next.push(0)
	for freeSlots, freeBytes := uint64(0), uint64(0); freeSlots < slots || freeBytes < bytes; {
		victim := next.pop(e.from)
		if victim == nil || !victim.worth.Lt(&e.worth) {
			return nil, false
		}
		list = append(list, victim)
		freeSlots += victim.slots
		freeBytes += victim.size
	}
	return list, true
}

// tails walks the executable transactions of an eviction heap in the order of eviction, without a change of the heap.
// It holds a cursor for each account whose parent in the heap has been visited.
type tails struct {
	order   evictionHeap
	cursors []cursor
}

// cursor points to the executable transaction of an account that is evicted next.
type cursor struct {
	*account
	at      int
	visited bool // the children in the eviction heap have cursors
}

func (c *cursor) entry() *entry { return c.txs[c.at] }

// push adds the account at an index of the eviction heap, if there is one.
func (t *tails) push(index int) {
	if index < len(t.order) {
		a := t.order[index]
		heap.Push(t, cursor{account: a, at: a.executable - 1})
	}
}

// pop returns the transaction that is evicted next and not of the given sender, or nil.
func (t *tails) pop(sender common.Address) *entry {
	for len(t.cursors) > 0 {
		c := &t.cursors[0]
		e, a, visited := c.entry(), c.account, c.visited
		c.visited = true
		if c.at--; c.at < 0 || a.addr == sender {
			heap.Pop(t)
		} else {
			heap.Fix(t, 0)
		}
		if !visited {
			t.push(2*a.index + 1)
			t.push(2*a.index + 2)
		}
		if a.addr != sender {
			return e
		}
	}
	return nil
}

// Len implements heap.Interface.
func (t *tails) Len() int { return len(t.cursors) }

// Less implements heap.Interface.
func (t *tails) Less(i, j int) bool { return evictedBefore(t.cursors[i].entry(), t.cursors[j].entry()) }

// Swap implements heap.Interface.
func (t *tails) Swap(i, j int) { t.cursors[i], t.cursors[j] = t.cursors[j], t.cursors[i] }

// Push implements heap.Interface.
func (t *tails) Push(x any) {
	c, ok := x.(cursor)
	if !ok {
		panic("tails holds cursors")
	}
	t.cursors = append(t.cursors, c)
}

// Pop implements heap.Interface.
func (t *tails) Pop() any {
	last := len(t.cursors) - 1
	c := t.cursors[last]
	t.cursors = t.cursors[:last]
	return c
}
