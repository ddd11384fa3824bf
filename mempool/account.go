// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"cmp"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/holiman/uint256"
)

// slotSize is the unit of the pool's limits in bytes: a transaction takes one slot per started 32 KiB.
// spec: transactions 4.5
const slotSize = 32 * 1024

// entry is a pooled transaction with the values that the pool reads often.
type entry struct {
	tx          *types.Transaction
	from        common.Address
	payer       common.Address // account that pays the fees, the sender included
	authorities []authority    // signers of the authorizations in a type 0x04 transaction
	cost        uint256.Int    // most wei that the sender pays
	fee         uint256.Int    // most wei that another fee payer pays
	feeCap, tip uint256.Int    // wei per gas
	worth       uint256.Int    // least payment of this and earlier transactions of its account, in wei per gas
	place       uint64         // reserved slots of the sender that this and its earlier transactions need
	seq         uint64         // order of arrival
	size        uint64         // encoded bytes
	slots       uint64
	local       bool // submission: this node has answered with the hash
	queued      bool // an earlier nonce is missing
	spare       bool // without a reserved slot of its fee payer: worth 0 in the order of eviction
}

// newEntry returns the entry of a transaction whose amounts are compared with balances already, so none overflows.
func newEntry(tx *types.Transaction, from common.Address, authorities []authority, local bool) *entry {
	e := &entry{tx: tx, from: from, payer: from, authorities: authorities, size: tx.Size(), local: local}
	e.slots = max(1, (e.size+slotSize-1)/slotSize)
	if payer := tx.FeePayer(); payer != nil {
		e.payer = *payer
	}
	e.cost.SetFromBig(tx.SenderCost())
	e.feeCap.SetFromBig(tx.GasFeeCap())
	e.tip.SetFromBig(tx.GasTipCap())
	if e.paidByOther() {
		e.fee.Mul(&e.feeCap, new(uint256.Int).SetUint64(tx.Gas()))
	}
	return e
}

// paidByOther reports whether another account than the sender pays the fees.
func (e *entry) paidByOther() bool { return e.payer != e.from }

// takes returns the most wei that a transaction takes from its sender or fee payer, 0 for another account.
func (e *entry) takes(addr common.Address) *uint256.Int {
	switch addr {
	case e.from:
		return &e.cost
	case e.payer:
		return &e.fee
	}
	return new(uint256.Int)
}

// account holds the pooled transactions of a sender by nonce. Those before the first gap are executable.
type account struct {
	addr       common.Address
	authorized bool     // pays its own tip instead of the governed one. spec: transactions 3.3
	next       uint64   // nonce in the state of the head
	txs        []*entry // by nonce
	executable int      // number of txs that follow next without a gap
	cost       uint256.Int
	slots      tally
	seen       time.Time // last time that a transaction was admitted or became executable
	priced     uint64    // number of the pricing that the worth of its executable transactions belongs to
	index      int       // in the eviction heap, -1 outside
}

// tally counts slots and transactions before and behind the first gap.
type tally struct{ executable, queued, executableTxs, queuedTxs uint64 }

func (t *tally) add(o tally) {
	t.executable += o.executable
	t.queued += o.queued
	t.executableTxs += o.executableTxs
	t.queuedTxs += o.queuedTxs
}

func (t *tally) sub(o tally) {
	t.executable -= o.executable
	t.queued -= o.queued
	t.executableTxs -= o.executableTxs
	t.queuedTxs -= o.queuedTxs
}

// find returns the index of a nonce in txs, or the index to insert it at.
func (a *account) find(nonce uint64) (int, bool) {
	if n := len(a.txs); n == 0 || a.txs[n-1].tx.Nonce() < nonce {
		return n, false
	}
	return slices.BinarySearchFunc(a.txs, nonce, func(e *entry, nonce uint64) int {
		return cmp.Compare(e.tx.Nonce(), nonce)
	})
}

// get returns the transaction with a nonce, or nil.
func (a *account) get(nonce uint64) *entry {
	if i, ok := a.find(nonce); ok {
		return a.txs[i]
	}
	return nil
}

// last returns the last executable transaction: only this one can be evicted without leaving a gap.
func (a *account) last() *entry { return a.txs[a.executable-1] }

// missing returns the first nonce that no pooled transaction has.
func (a *account) missing() uint64 { return a.next + uint64(a.executable) }

// rivals returns the transactions that the limits of a sender count with e. Queued ones take no places from an
// executable one.
func (a *account) rivals(e *entry) tally {
	if e.queued {
		return a.slots
	}
	return tally{executable: a.slots.executable, executableTxs: a.slots.executableTxs}
}

// isFilledBy reports whether a transaction with a nonce makes the first queued one executable.
func (a *account) isFilledBy(nonce uint64) bool {
	return nonce == a.missing() && len(a.txs) > a.executable && a.txs[a.executable].tx.Nonce() == nonce+1
}

// count recomputes executable and slots.
func (a *account) count() {
	a.executable, a.slots = 0, tally{}
	for i, e := range a.txs {
		a.countOne(i, e)
	}
}

// countOne counts the transaction at i, after those before it.
func (a *account) countOne(i int, e *entry) {
	if a.executable == i && e.tx.Nonce() == a.next+uint64(i) {
		a.executable++
		a.slots.executable += e.slots
		a.slots.executableTxs++
		return
	}
	a.slots.queued += e.slots
	a.slots.queuedTxs++
}

// put inserts e and returns the transaction of the same nonce that it replaces, or nil.
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
	if i == len(a.txs)-1 {
		a.countOne(i, e)
		return nil
	}
	a.count()
	a.priced = 0
	return nil
}

// remove removes the transaction at i and returns it.
func (a *account) remove(i int) *entry {
	e := a.txs[i]
	a.txs = slices.Delete(a.txs, i, i+1)
	a.cost.Sub(&a.cost, &e.cost)
	a.count()
	return e
}

// forward sets the nonce of the state, and removes and returns the transactions below it.
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

// content returns the executable and the queued transactions.
func (a *account) content() (pending, queued []*types.Transaction) {
	for i, e := range a.txs {
		if i < a.executable {
			pending = append(pending, e.tx)
		} else {
			queued = append(queued, e.tx)
		}
	}
	return pending, queued
}
