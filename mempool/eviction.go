// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"container/heap"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus/misc/eip1559"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/holiman/uint256"
)

// pricing ranks executable transactions by what the next proposer gets from each, in wei per gas. The payment is
// min(fee cap - base fee, governed tip), with an authorized sender's own tip. No transaction is worth more than an
// earlier one of its sender. Among equals the newest is evicted first. spec: transactions 3.3
type pricing struct {
	number  uint64 // identifies the prices in use
	baseFee *uint256.Int
	heap    *evictionHeap // nil until a full pool needs it
}

// invalidate discards the prices, because base fee or tip have changed.
func (x *pricing) invalidate() { x.heap, x.baseFee = nil, nil }

// paid returns what a transaction pays at the head, in wei per gas.
func (p *Pool) paid(feeCap, tip *uint256.Int, authorized bool) (left uint256.Int) {
	if p.pricing.baseFee == nil {
		p.pricing.baseFee = uint256.MustFromBig(eip1559.CalcBaseFee(p.chainConfig, p.head.Load()))
	}
	if feeCap.Lt(p.pricing.baseFee) {
		return left
	}
	left.Sub(feeCap, p.pricing.baseFee)
	limit := p.minTip.Load()
	if authorized {
		limit = tip
	}
	if left.Gt(limit) {
		left.Set(limit)
	}
	return left
}

// payment returns what a pooled transaction pays at the head, in wei per gas, and 0 for a spare one.
func (p *Pool) payment(e *entry, authorized bool) (left uint256.Int) {
	if e.spare {
		return left
	}
	return p.paid(&e.feeCap, &e.tip, authorized)
}

// price updates the worth of the executable transactions of an account, from an index on.
func (p *Pool) price(a *account, from int) {
	var before *entry
	if from > 0 {
		before = a.txs[from-1]
	}
	sure := p.surePlaces(a.addr, a.next)
	for _, e := range a.txs[from:a.executable] {
		e.worth = p.rank(e, before, sure, a.authorized)
		before = e
	}
	a.priced = p.pricing.number
}

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

// evictionOrder returns the heap, rebuilt if prices have changed. The lock is held.
func (p *Pool) evictionOrder() evictionHeap {
	if p.pricing.heap == nil {
		p.pricing.number++
		made := make(evictionHeap, 0, len(p.accounts))
		for _, a := range p.accounts {
			a.index = -1
			if a.executable > 0 {
				p.price(a, 0)
				a.index = len(made)
				made = append(made, a)
			}
		}
		heap.Init(&made)
		p.pricing.heap = &made
	}
	return *p.pricing.heap
}

// update moves an account that has changed to its index in the heap.
func (x *pricing) update(p *Pool, a *account) {
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
		p.price(a, 0)
	} else {
		p.price(a, a.executable-1)
	}
	if a.index < 0 {
		heap.Push(x.heap, a)
	} else {
		heap.Fix(x.heap, a.index)
	}
}

// checkFull refuses a transaction that a full pool admits from no sender, before the sender is recovered. A transaction
// pays at most min(fee cap - base fee, own tip): ordinary accounts pay the governed tip, which is the lowest own tip.
// A submission may fill a gap, so it passes while transactions are queued.
func (p *Pool) checkFull(tx *types.Transaction, local bool) error {
	p.mu.RLock()
	noBytes := p.bytes+tx.Size() > p.config.maxBytes()
	noSlot := p.held.executable >= p.config.GlobalSlots && !(local && p.held.queued > 0)
	p.mu.RUnlock()
	if !noBytes && !noSlot {
		return nil
	}
	feeCap, overflow := uint256.FromBig(tx.GasFeeCap())
	tip, tipOverflow := uint256.FromBig(tx.GasTipCap())
	if overflow || tipOverflow {
		return nil // later checks name the fault
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	offer := p.paid(feeCap, tip, true)
	if order := p.evictionOrder(); len(order) > 0 && offer.Gt(&order[0].last().worth) {
		return nil
	}
	return p.fullError(tx.Size(), false)
}

// evict makes room for e, whose account is a or nil: it evicts transactions of others until the slots and bytes are
// free. It reports whether that was possible, and changes nothing if not.
func (p *Pool) evict(e *entry, a *account, slots, bytes uint64) bool {
	var before *entry
	if a != nil {
		if i, _ := a.find(e.tx.Nonce()); i > 0 {
			before = a.txs[i-1]
		}
	}
	order := p.evictionOrder()
	sure := p.surePlaces(e.from, p.state.GetNonce(e.from))
	e.worth = p.rank(e, before, sure, p.state.IsAuthorized(e.from))
	victims, enough := order.victims(e, slots, bytes)
	if !enough {
		return false
	}
	evictedMeter.Mark(int64(len(victims)))
	p.drop(victims)
	return true
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
