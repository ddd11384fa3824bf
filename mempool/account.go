// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/holiman/uint256"
)

// slotSize is the unit in which places are counted: a transaction takes one for each begun 32 KiB (spec transactions 4.5).
const slotSize = 32 * 1024

// entry is a pooled transaction and what is asked of it again and again.
type entry struct {
	tx          *types.Transaction
	from        common.Address
	payer       common.Address // who pays the fees, the sender itself included
	authors     []author       // who has signed authorizations that type 0x04 carries
	cost        uint256.Int    // wei that it may take from the sender
	fee         uint256.Int    // wei that it may take from another fee payer
	feeCap, tip uint256.Int    // wei per gas
	floor       uint256.Int    // wei per gas: the least that it or one before it pays, at the pricing of its account
	room        uint64         // sure places that its sender needs up to this one, at the pricing of its account
	seq         uint64         // order of arrival
	size        uint64         // bytes, encoded
	slots       uint64
	local       bool // was submitted to this node, which answered with the hash
	gapped      bool // a nonce before it is missing
	spare       bool // its fee payer has no sure place for it: it is worth nothing in the order of giving way
}

// paidByOther tells that another account than the sender pays the fees.
func (e *entry) paidByOther() bool { return e.payer != e.from }

func newEntry(tx *types.Transaction, from common.Address, authors []author) *entry {
	e := &entry{tx: tx, from: from, payer: from, authors: authors, size: tx.Size()}
	e.slots = max(1, (e.size+slotSize-1)/slotSize)
	if payer := tx.FeePayer(); payer != nil {
		e.payer = *payer
	}
	// The checks before have compared the amounts with balances and 256 bits, so none overflows.
	e.cost.SetFromBig(tx.SenderCost())
	e.feeCap.SetFromBig(tx.GasFeeCap())
	e.tip.SetFromBig(tx.GasTipCap())
	if e.paidByOther() {
		e.fee.Mul(&e.feeCap, new(uint256.Int).SetUint64(tx.Gas()))
	}
	return e
}

// account holds the pooled transactions of a sender in the order of their nonces. Those before the first gap are executable.
type account struct {
	addr       common.Address
	authorized bool   // pays its own tip instead of the governed one (spec transactions 3.3)
	next       uint64 // nonce in the state of the head
	txs        []*entry
	executable int // how many of txs follow next without a gap
	cost       uint256.Int
	slots      tally
	seen       time.Time // when something of it was taken or became executable
	priced     uint64    // pricing for which the floors of its executable transactions hold
	place      int       // in the heap of those that may give way, -1 outside
}

// tally counts the slots, and the transactions, before and behind the first gap.
type tally struct{ executable, gapped, executableTxs, gappedTxs uint64 }

func (t *tally) add(o tally) {
	t.executable += o.executable
	t.gapped += o.gapped
	t.executableTxs += o.executableTxs
	t.gappedTxs += o.gappedTxs
}

func (t *tally) sub(o tally) {
	t.executable -= o.executable
	t.gapped -= o.gapped
	t.executableTxs -= o.executableTxs
	t.gappedTxs -= o.gappedTxs
}

// find returns where a nonce stands or would stand.
func (a *account) find(nonce uint64) (int, bool) {
	if n := len(a.txs); n == 0 || a.txs[n-1].tx.Nonce() < nonce {
		return n, false
	}
	return slices.BinarySearchFunc(a.txs, nonce, func(e *entry, nonce uint64) int {
		switch have := e.tx.Nonce(); {
		case have < nonce:
			return -1
		case have > nonce:
			return 1
		}
		return 0
	})
}

// get returns the transaction with a nonce, or nil.
func (a *account) get(nonce uint64) *entry {
	if i, ok := a.find(nonce); ok {
		return a.txs[i]
	}
	return nil
}

// count brings executable and slots up to date.
func (a *account) count() {
	a.executable, a.slots = 0, tally{}
	for i, e := range a.txs {
		if a.executable == i && e.tx.Nonce() == a.next+uint64(i) {
			a.executable++
			a.slots.executable += e.slots
			a.slots.executableTxs++
		} else {
			a.slots.gapped += e.slots
			a.slots.gappedTxs++
		}
	}
}

// put inserts e and returns the one of the same nonce that it replaces, if any.
func (a *account) put(e *entry) (old *entry) {
	i, taken := a.find(e.tx.Nonce())
	a.cost.Add(&a.cost, &e.cost)
	if taken {
		old = a.txs[i]
		a.txs[i] = e
		a.cost.Sub(&a.cost, &old.cost)
		a.count()
		a.priced = 0
		return old
	}
	a.txs = slices.Insert(a.txs, i, e)
	switch {
	case i < len(a.txs)-1:
		a.count()
		a.priced = 0
	case a.executable == i && e.tx.Nonce() == a.next+uint64(i):
		a.executable++
		a.slots.executable += e.slots
		a.slots.executableTxs++
	default:
		a.slots.gapped += e.slots
		a.slots.gappedTxs++
	}
	return nil
}

// take removes the transaction at i.
func (a *account) take(i int) *entry {
	e := a.txs[i]
	a.txs = slices.Delete(a.txs, i, i+1)
	a.cost.Sub(&a.cost, &e.cost)
	a.count()
	return e
}

// forward sets the nonce of the state and returns the transactions below it, which are gone.
func (a *account) forward(next uint64) (gone []*entry) {
	if next == a.next {
		return nil
	}
	i, _ := a.find(next)
	gone = slices.Clone(a.txs[:i])
	for _, e := range gone {
		a.cost.Sub(&a.cost, &e.cost)
	}
	a.txs = slices.Delete(a.txs, 0, i)
	a.next = next
	a.count()
	a.priced = 0
	return gone
}
