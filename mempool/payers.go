// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/holiman/uint256"
)

// recordsKept is how many accounts' records are remembered, by about 120 bytes each.
const recordsKept = 16_384

// record is what is remembered of an account.
type record struct {
	paid    uint64 // transactions that it has paid for in blocks, since it was drained last
	drained bool   // it could once not pay for what it had promised
}

// payer is what an account has promised to pay for others.
type payer struct {
	txs      map[*entry]struct{}
	waiting  map[*entry]struct{} // those of txs behind gaps
	reserved uint256.Int         // sum of gas * fee cap, in wei

	waitingFees uint256.Int // of reserved, what is for waiting
}

// wait notes that a promise is behind a gap.
func (x *payer) wait(e *entry) {
	if _, known := x.waiting[e]; !known {
		x.waiting[e] = struct{}{}
		x.waitingFees.Add(&x.waitingFees, &e.fee)
	}
}

// ready notes that a promise is behind no gap, or gone.
func (x *payer) ready(e *entry) {
	if _, known := x.waiting[e]; known {
		delete(x.waiting, e)
		x.waitingFees.Sub(&x.waitingFees, &e.fee)
	}
}

// payer returns the promises of an account, made if there are none.
func (p *Pool) payer(addr common.Address) *payer {
	if p.payers[addr] == nil {
		p.payers[addr] = &payer{txs: make(map[*entry]struct{}), waiting: make(map[*entry]struct{})}
	}
	return p.payers[addr]
}

func (x *payer) add(e *entry) {
	x.txs[e] = struct{}{}
	x.reserved.Add(&x.reserved, &e.fee)
}

// remove returns how many are left.
func (x *payer) remove(e *entry) int {
	if _, ok := x.txs[e]; ok {
		delete(x.txs, e)
		x.ready(e)
		x.reserved.Sub(&x.reserved, &e.fee)
	}
	return len(x.txs)
}

// yields returns the transactions behind gaps that leave so many places and so much of the payer's balance to e, and
// whether that suffices. The sender that has waited longest loses its highest nonce first, what peers have sent before
// what was submitted here. One behind a gap itself displaces only what peers have sent, and only for the places. Old,
// which e replaces, is not among them.
func (x *payer) yields(e, old *entry, places uint64, wei *uint256.Int) (gone []*entry, enough bool) {
	if places == 0 && wei.IsZero() {
		return nil, true
	}
	if uint64(len(x.waiting)) < places || !e.gapped && x.waitingFees.Lt(wei) {
		return nil, false // asked for each transaction: nothing is looked for in vain
	}
	var candidates []*entry
	oldest := make(map[waitingSender]uint64) // sequence number of each sender's oldest one
	for w := range x.waiting {
		if w == old || e.gapped && w.local {
			continue
		}
		candidates = append(candidates, w)
		by := waitingSender{w.from, w.local}
		if seq, ok := oldest[by]; !ok || w.seq < seq {
			oldest[by] = w.seq
		}
	}
	slices.SortFunc(candidates, func(x, y *entry) int {
		if x.local != y.local {
			return before(y.local)
		}
		return cmp.Or(cmp.Compare(oldest[waitingSender{x.from, x.local}], oldest[waitingSender{y.from, y.local}]), cmp.Compare(y.tx.Nonce(), x.tx.Nonce()))
	})
	short := new(uint256.Int).Set(wei)
	for _, w := range candidates {
		if uint64(len(gone)) >= places && (e.gapped || short.IsZero()) {
			break
		}
		gone = append(gone, w)
		lessBy(short, &w.fee)
	}
	if uint64(len(gone)) < places || !e.gapped && !short.IsZero() {
		return nil, false
	}
	return gone, short.IsZero()
}

// waitingSender is a sender with transactions behind gaps, submitted here or by peers.
type waitingSender struct {
	from  common.Address
	local bool
}

// before returns how two compare of which the first comes before the second, or after it.
func before(first bool) int {
	if first {
		return -1
	}
	return 1
}

// backing is how many transactions of others an account may back.
type backing struct {
	most   uint64 // pooled ones; beyond these one is refused
	sure   uint64 // executable ones; one that comes beyond these has only the room that no other transaction needs
	reason string // why it is no more
}

// mayBack returns how many transactions of others an account may back. The balance bounds what an account promises, but
// its coins can move away: so an account has sure places for few until it has paid for some, two more for each. One
// that can move its coins at any time, or has done so under its promises, is refused more than that.
func (p *Pool) mayBack(addr common.Address) backing {
	known, _ := p.records.Peek(addr)
	most := p.config.perPayer()
	earned := func(start uint64) uint64 { return min(most, start+2*known.paid) }
	few := earned(p.config.AccountSlots)
	switch {
	case known.drained && few < most:
		return backing{few, few, " until it has paid for some, " +
			"since its coins have once moved away from under what it had promised"}
	case few < most && (!isCodeless(p.state, addr) || p.mayDelegate(addr)):
		return backing{few, few, " until it has paid for some, since its code can move its coins"}
	}
	return backing{most, earned(p.config.start()), ""}
}

// hasPaid notes that an account has paid for a transaction in a block. Of those who pay for themselves only the drained
// are followed.
func (p *Pool) hasPaid(addr common.Address, forOther bool) {
	known, ok := p.records.Get(addr)
	if !ok && !forOther {
		return
	}
	known.paid++
	p.records.Add(addr, known)
}

// checkPromises keeps what an account has promised within its balance: the fees of all pooled transactions that it
// backs and the costs of its own ones, this one included and the one that it replaces left out (spec transactions 6 no.
// 5). It returns the promises behind gaps that have to go for e, which is executable then: they reserve what e would
// use.
func (p *Pool) checkPromises(e, old *entry, a *account) (yield []*entry, err error) {
	if known, _ := p.records.Peek(e.from); known.drained && old == nil && a != nil {
		if limit := p.config.AccountSlots + 2*known.paid; uint64(len(a.txs)) >= limit && limit < p.config.perAccount() {
			return nil, full("%d transactions of this account wait; it may have %d until some are in a block, "+
				"since its coins have once moved away from under them", len(a.txs), limit)
		}
	}
	if backed := p.payers[e.from]; backed != nil {
		queued := new(uint256.Int).Add(&backed.reserved, p.ownCosts(e.from))
		if old != nil {
			queued.Sub(queued, &old.cost)
		}
		balance := p.state.GetBalance(e.from)
		short, over := shortage(queued, &e.cost, balance)
		gone, enough := backed.yields(e, old, 0, short)
		if over || !enough {
			return nil, fmt.Errorf("%w: balance %v, queued cost %v with the fees promised for others, tx cost %v, overshot %v",
				gethcore.ErrInsufficientFunds, balance, queued, &e.cost, short)
		}
		yield = gone
	}
	if !e.paidByOther() {
		return yield, nil
	}
	backed := p.payers[e.payer]
	if backed == nil {
		backed = new(payer)
	}
	waiting, ready := uint64(len(backed.waiting)), uint64(len(backed.txs)-len(backed.waiting))
	reserved := p.ownCosts(e.payer)
	reserved.Add(reserved, &backed.reserved)
	if old != nil && old.paidByOther() && old.payer == e.payer {
		reserved.Sub(reserved, &old.fee)
		if old.gapped {
			waiting--
		} else {
			ready--
		}
	}
	may := p.mayBack(e.payer)
	e.spare = ready+1 > may.sure
	places, share := lack(waiting+ready, 1, may.most), p.config.payerQueue()
	if e.gapped {
		places = max(places, lack(waiting, 1, share))
	}
	if _, enough := backed.yields(e, old, places, new(uint256.Int)); !enough {
		if e.gapped && waiting >= share {
			payerGapsMeter.Mark(1)
			return nil, full("%d transactions that this fee payer backs wait behind gaps; send the one with nonce %d first",
				waiting, p.missing(e.from, a))
		}
		payerLimitMeter.Mark(1)
		return nil, &PayerLimitError{may.most, may.reason}
	}
	balance := p.state.GetBalance(e.payer)
	short, over := shortage(reserved, &e.fee, balance)
	gone, enough := backed.yields(e, old, places, short)
	if over || !enough {
		return nil, fmt.Errorf("%w: balance %v, queued fee cost %v, fee cost %v, overshot %v",
			txpool.ErrFeePayerFunds, balance, reserved, &e.fee, short)
	}
	return append(yield, gone...), nil
}

// shortage returns by how many wei what is reserved and one more amount exceed a balance, and whether their sum is no
// number of 256 bits.
func shortage(reserved, more, balance *uint256.Int) (wei *uint256.Int, over bool) {
	need, over := new(uint256.Int).AddOverflow(reserved, more)
	if over {
		return need, true
	}
	return lessBy(need, balance), false
}

// ownCosts returns what the pooled transactions that an account sends itself may cost it, in wei. The caller may change
// it.
func (p *Pool) ownCosts(addr common.Address) *uint256.Int {
	if a := p.accounts[addr]; a != nil {
		return new(uint256.Int).Set(&a.cost)
	}
	return new(uint256.Int)
}

// debt returns by how many wei the promises of an account exceed its balance, 0 if they do not.
func (p *Pool) debt(addr common.Address) *uint256.Int {
	promised := p.ownCosts(addr)
	if backed := p.payers[addr]; backed != nil {
		promised.Add(promised, &backed.reserved)
	}
	return lessBy(promised, p.state.GetBalance(addr))
}

// lessBy takes wei off an amount, down to 0.
func lessBy(amount, wei *uint256.Int) *uint256.Int {
	if amount.Lt(wei) {
		return amount.Clear()
	}
	return amount.Sub(amount, wei)
}

// unpayable returns the transactions that some accounts can no longer pay for, those behind gaps first and then the
// newest, as few as end their debts. Drained are the accounts that owe for executable ones; anybody could make an
// account owe for others. What a transaction costs may be in the debts of two accounts: one order over all of them
// leaves the same, however the accounts are named.
func (p *Pool) unpayable(named map[common.Address]struct{}) (drained map[common.Address]struct{}, gone []*entry) {
	var (
		debts = make(map[common.Address]*uint256.Int)
		all   []*entry
	)
	for addr := range named {
		a, backed := p.accounts[addr], p.payers[addr]
		if a == nil && backed == nil {
			continue
		}
		debt := p.debt(addr)
		if debt.IsZero() {
			continue
		}
		debts[addr] = debt
		if a != nil {
			all = append(all, a.txs...)
		}
		if backed != nil {
			all = slices.AppendSeq(all, maps.Keys(backed.txs))
		}
	}
	slices.SortFunc(all, func(x, y *entry) int {
		if x.gapped != y.gapped {
			return before(x.gapped)
		}
		return cmp.Compare(y.seq, x.seq)
	})
	drained = make(map[common.Address]struct{})
	relieve := func(addr common.Address, wei *uint256.Int, executable bool) (relieved bool) {
		debt := debts[addr]
		if debt == nil || debt.IsZero() || wei.IsZero() {
			return false
		}
		if executable {
			drained[addr] = struct{}{}
		}
		lessBy(debt, wei)
		return true
	}
	for _, e := range slices.Compact(all) { // one of both a sender and a payer in debt is there twice
		bySender := relieve(e.from, &e.cost, !e.gapped)
		if e.paidByOther() && relieve(e.payer, &e.fee, !e.gapped) || bySender {
			gone = append(gone, e)
		}
	}
	return drained, gone
}
