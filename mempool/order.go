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

// pricing ranks pooled transactions by what the next block's proposer would get from each, in wei per gas: min(fee cap - base fee, governed
// tip), or an authorized sender's own tip instead of the governed one (spec transactions 3.3). No transaction ranks above one that must come
// before it. Among equals who came first ranks first. Only a full pool needs the order, so it is made when it is asked for.
type pricing struct {
	number  uint64 // of the prices in use
	baseFee *uint256.Int
	heap    *givingWay // nil while the order is not known
}

// forget notes that prices have changed.
func (x *pricing) forget() { x.heap, x.baseFee = nil, nil }

// paid returns what a transaction pays at the head, in wei per gas.
func (p *Pool) paid(feeCap, tip *uint256.Int, authorized bool) (left uint256.Int) {
	if p.pricing.baseFee == nil {
		p.pricing.baseFee = uint256.MustFromBig(eip1559.CalcBaseFee(p.rules, p.head.Load()))
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

// worth returns what a transaction pays at the head, in wei per gas, and nothing for one that has only the room which no other needs.
func (p *Pool) worth(e *entry, authorized bool) (left uint256.Int) {
	if e.spare {
		return left
	}
	return p.paid(&e.feeCap, &e.tip, authorized)
}

// price brings the floors of the executable transactions of an account up to date, beginning at from.
func (p *Pool) price(a *account, from int) {
	var before *entry
	if from > 0 {
		before = a.txs[from-1]
	}
	sure := p.surePlaces(a.addr, a.next)
	for _, e := range a.txs[from:a.executable] {
		e.floor = p.rank(e, before, sure, a.authorized)
		before = e
	}
	a.priced = p.pricing.number
}

// last returns the executable transaction of an account that nothing executable follows: without a gap only this one can give way.
func (a *account) last() *entry { return a.txs[a.executable-1] }

// givesWay tells which of two transactions gives way before the other: who pays less, of equals who came later.
func givesWay(x, y *entry) bool {
	if c := x.floor.Cmp(&y.floor); c != 0 {
		return c < 0
	}
	return x.seq > y.seq
}

// givingWay is a heap of the accounts with executable transactions, the one whose last one is worth least on top.
type givingWay []*account

func (h givingWay) Len() int { return len(h) }

func (h givingWay) Less(i, j int) bool { return givesWay(h[i].last(), h[j].last()) }

func (h givingWay) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}

func (h *givingWay) Push(x any) {
	a := x.(*account)
	a.place = len(*h)
	*h = append(*h, a)
}

func (h *givingWay) Pop() any {
	last := len(*h) - 1
	a := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	a.place = -1
	return a
}

// order returns the heap, made anew when prices have changed. The lock is held.
func (p *Pool) order() *givingWay {
	if p.pricing.heap == nil {
		p.pricing.number++
		made := make(givingWay, 0, len(p.accounts))
		for _, a := range p.accounts {
			a.place = -1
			if a.executable > 0 {
				p.price(a, 0)
				a.place = len(made)
				made = append(made, a)
			}
		}
		heap.Init(&made)
		p.pricing.heap = &made
	}
	return p.pricing.heap
}

// changed keeps the order up to date with an account that has changed.
func (x *pricing) changed(p *Pool, a *account) {
	if x.heap == nil {
		return
	}
	if a.executable == 0 {
		if a.place >= 0 {
			heap.Remove(x.heap, a.place)
		}
		return
	}
	if a.priced != x.number {
		p.price(a, 0)
	} else {
		p.price(a, a.executable-1)
	}
	if a.place < 0 {
		heap.Push(x.heap, a)
	} else {
		heap.Fix(x.heap, a.place)
	}
}

// fullFor refuses what a full pool cannot take whoever sends it, before the sender is recovered. What a transaction offers at most is
// min(fee cap - base fee, own tip): a normal sender pays no more than the governed tip, which is the least own tip there is.
//
// One that is submitted here may fill a gap, and so be welcome.
func (p *Pool) fullFor(tx *types.Transaction, local bool) error {
	p.mu.RLock()
	noRoom := p.bytes+tx.Size() > p.config.maxBytes()
	crowded := p.held.executable >= p.config.GlobalSlots && !(local && p.held.gapped > 0)
	p.mu.RUnlock()
	if !noRoom && !crowded {
		return nil
	}
	feeCap, over := uint256.FromBig(tx.GasFeeCap())
	tip, overTip := uint256.FromBig(tx.GasTipCap())
	if over || overTip {
		return nil // the checks will say what is wrong with it
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	offer := p.paid(feeCap, tip, true)
	if worst := *p.order(); len(worst) > 0 && offer.Gt(&worst[0].last().floor) {
		return nil
	}
	return p.fullError(tx.Size(), false)
}

// outbid makes the worst of the others give way until so many slots and bytes are free, if e is worth more than each of them. Otherwise
// nothing changes.
func (p *Pool) outbid(e *entry, a *account, slots, bytes uint64) bool {
	order := p.order()
	var before *entry
	if a != nil {
		if i, _ := a.find(e.tx.Nonce()); i > 0 {
			before = a.txs[i-1]
		}
	}
	worth := p.rank(e, before, p.surePlaces(e.from, p.state.GetNonce(e.from)), p.state.IsAuthorized(e.from))
	var (
		cursors              tails // accounts that have lost some already, as far as that is known
		victims              []*entry
		freeSlots, freeBytes uint64
	)
	defer func() { // those that lose something are put back when they do
		for _, c := range cursors.all {
			if p.accounts[c.addr] == c && c.place < 0 && c.executable > 0 {
				heap.Push(order, c)
			}
		}
	}()
	for freeSlots < slots || freeBytes < bytes {
		if order.Len() > 0 && (len(cursors.heap) == 0 || givesWay((*order)[0].last(), cursors.heap[0].entry())) {
			next := heap.Pop(order).(*account)
			cursors.all = append(cursors.all, next)
			if next != a { // its own come before it, or follow it
				heap.Push(&cursors, cursor{next, next.executable - 1})
			}
			continue
		}
		if len(cursors.heap) == 0 || !cursors.heap[0].entry().floor.Lt(&worth) {
			return false
		}
		worst := &cursors.heap[0]
		victims = append(victims, worst.entry())
		freeSlots += worst.entry().slots
		freeBytes += worst.entry().size
		if worst.at--; worst.at < 0 {
			heap.Pop(&cursors)
		} else {
			heap.Fix(&cursors, 0)
		}
	}
	outbidMeter.Mark(int64(len(victims)))
	p.drop(victims)
	return true
}

// cursor stands at the transaction of an account that would give way next.
type cursor struct {
	*account
	at int
}

func (c cursor) entry() *entry { return c.txs[c.at] }

// tails is a heap of cursors, the one that gives way next on top.
type tails struct {
	heap []cursor
	all  []*account
}

func (t *tails) Len() int           { return len(t.heap) }
func (t *tails) Less(i, j int) bool { return givesWay(t.heap[i].entry(), t.heap[j].entry()) }
func (t *tails) Swap(i, j int)      { t.heap[i], t.heap[j] = t.heap[j], t.heap[i] }
func (t *tails) Push(x any)         { t.heap = append(t.heap, x.(cursor)) }

func (t *tails) Pop() any {
	last := len(t.heap) - 1
	c := t.heap[last]
	t.heap = t.heap[:last]
	return c
}

// fifo holds transactions behind gaps in the order in which they came there. What has left is skipped when it is met.
type fifo struct {
	entries []*entry
	sweepAt int // length at which those that have left are taken out
}

// push adds one.
func (f *fifo) push(p *Pool, e *entry) {
	if e.local {
		return // it does not give way
	}
	if len(f.entries) >= max(f.sweepAt, 1024) {
		seen := make(map[*entry]struct{}, len(f.entries))
		kept := f.entries[:0]
		for _, e := range f.entries {
			if _, twice := seen[e]; !twice && p.isWaiting(e) {
				seen[e] = struct{}{}
				kept = append(kept, e)
			}
		}
		clear(f.entries[len(kept):])
		f.entries, f.sweepAt = kept, 2*len(kept)
	}
	f.entries = append(f.entries, e)
}

// isWaiting reports whether e is in the pool, behind a gap.
func (p *Pool) isWaiting(e *entry) bool { return e.gapped && p.look(e.tx.Hash()) == e }

// oldest takes out the transaction that gives way next: the highest nonce of the sender whose transaction has waited longest, not of the one
// that asks. Nil if there is none that a peer has sent.
func (f *fifo) oldest(p *Pool, but common.Address) *entry {
	var own []*entry
	defer func() { f.entries = append(own, f.entries...) }()
	for len(f.entries) > 0 {
		e := f.entries[0]
		f.entries = f.entries[1:]
		if !p.isWaiting(e) {
			continue
		}
		if e.from == but {
			own = append(own, e)
			continue
		}
		if txs := p.accounts[e.from].txs; txs[len(txs)-1] != e && !txs[len(txs)-1].local {
			f.entries = append(f.entries, e) // its turn comes again
			return txs[len(txs)-1]
		}
		return e
	}
	return nil
}
