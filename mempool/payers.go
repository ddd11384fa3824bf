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

// recordsKept is the number of accounts with a record, of about 120 bytes each.
const recordsKept = 16_384

// record is the history of an account that has backed transactions of others, or was drained.
type record struct {
	paid    uint64 // transactions that it has paid for in blocks, since it was last drained
	drained bool   // its balance has once fallen below its reserved coins
}

// payer holds the pooled transactions of others that an account pays for.
type payer struct {
	txs        map[*entry]struct{}
	queued     map[*entry]struct{} // those of txs behind gaps
	reserved   uint256.Int         // sum of gas * fee cap, in wei
	queuedFees uint256.Int         // part of reserved that is for queued
}

func (x *payer) add(e *entry) {
	x.txs[e] = struct{}{}
	x.reserved.Add(&x.reserved, &e.fee)
}

// remove removes e and returns the number of transactions left.
func (x *payer) remove(e *entry) int {
	if _, ok := x.txs[e]; ok {
		delete(x.txs, e)
		x.setExecutable(e)
		x.reserved.Sub(&x.reserved, &e.fee)
	}
	return len(x.txs)
}

// setQueued notes that e is behind a gap.
func (x *payer) setQueued(e *entry) {
	if _, known := x.queued[e]; !known {
		x.queued[e] = struct{}{}
		x.queuedFees.Add(&x.queuedFees, &e.fee)
	}
}

// setExecutable notes that e is no longer behind a gap.
func (x *payer) setExecutable(e *entry) {
	if _, known := x.queued[e]; known {
		delete(x.queued, e)
		x.queuedFees.Sub(&x.queuedFees, &e.fee)
	}
}

// displaced returns the queued transactions that leave for e, and whether they free the places and the wei. An
// executable e displaces all kinds. A queued e displaces those of peers, for places alone. Old, which e replaces, is
// not among them.
func (x *payer) displaced(e, old *entry, places uint64, wei *uint256.Int) (gone []*entry, enough bool) {
	if places == 0 && wei.IsZero() {
		return nil, true
	}
	if uint64(len(x.queued)) < places || !e.queued && x.queuedFees.Lt(wei) {
		return nil, false // avoids the search for most transactions
	}
	short := new(uint256.Int).Set(wei)
	for _, w := range x.displaceable(e, old) {
		if uint64(len(gone)) >= places && (e.queued || short.IsZero()) {
			break
		}
		gone = append(gone, w)
		subtract(short, &w.fee)
	}
	if uint64(len(gone)) < places || !e.queued && !short.IsZero() {
		return nil, false
	}
	return gone, short.IsZero()
}

// displaceable returns the queued transactions that e may displace, in order: those of peers before submissions, then
// the sender that has waited longest, its highest nonce first.
func (x *payer) displaceable(e, old *entry) (list []*entry) {
	oldest := make(map[queuedSender]uint64) // least sequence number
	for w := range x.queued {
		if w == old || e.queued && w.local {
			continue
		}
		list = append(list, w)
		by := queuedSender{w.from, w.local}
		if seq, ok := oldest[by]; !ok || w.seq < seq {
			oldest[by] = w.seq
		}
	}
	slices.SortFunc(list, func(x, y *entry) int {
		return cmp.Or(
			trueFirst(y.local, x.local),
			cmp.Compare(oldest[queuedSender{x.from, x.local}], oldest[queuedSender{y.from, y.local}]),
			cmp.Compare(y.tx.Nonce(), x.tx.Nonce()),
		)
	})
	return list
}

// queuedSender is a sender of queued transactions, as a peer's or as submissions.
type queuedSender struct {
	from  common.Address
	local bool
}

// trueFirst compares two values, true being less than false.
func trueFirst(x, y bool) int {
	switch {
	case x == y:
		return 0
	case x:
		return -1
	}
	return 1
}

// backing is the number of transactions of others that an account may back.
type backing struct {
	most   uint64 // all; one more is refused
	sure   uint64 // executable ones with a reserved slot; one more is spare
	reason string // of a reduced limit, for the error
}

// mayBack returns the backing of an account. Coins can move away, so an account starts with few reserved slots, and each
// transaction that it has paid for adds two. The limit is as low for an account with code, and after a drain.
func (p *policy) mayBack(t *tables, addr common.Address) backing {
	known, _ := t.records.Peek(addr)
	most := p.config.perPayer()
	earned := func(initial uint64) uint64 { return min(most, initial+2*known.paid) }
	few := earned(p.config.AccountSlots)
	switch {
	case known.drained && few < most:
		return backing{few, few, " until it has paid for some, " +
			"since its coins have once moved away from under what it had promised"}
	case few < most && (!isCodeless(p.state, addr) || p.mayDelegate(t, addr)):
		return backing{few, few, " until it has paid for some, since its code can move its coins"}
	}
	return backing{most, earned(p.config.initialPlaces()), ""}
}

// checkReserved keeps the reserved coins of sender and fee payer within their balances, with e and without the
// transaction that e replaces. It plans which queued transactions an executable e displaces, because they reserve its
// coins. spec: transactions 6 no. 5
func (p *policy) checkReserved(t *tables, e *entry, x *plan) error {
	if err := p.checkDrained(t, e, x); err != nil {
		return err
	}
	if err := p.checkSenderReserve(t, e, x); err != nil {
		return err
	}
	if !e.paidByOther() {
		return nil
	}
	return p.checkPayerReserve(t, e, x)
}

// checkDrained limits the transactions of a sender that was drained.
func (p *policy) checkDrained(t *tables, e *entry, x *plan) error {
	known, _ := t.records.Peek(e.from)
	if !known.drained || x.old != nil || len(x.account.txs) == 0 {
		return nil
	}
	held, limit := uint64(len(x.account.txs)), p.config.AccountSlots+2*known.paid
	if held < limit || limit >= p.config.perAccount() {
		return nil
	}
	return full("%d transactions of this account wait; it may have %d until some are in a block, "+
		"since its coins have once moved away from under them", held, limit)
}

// checkSenderReserve checks the balance of a sender that is also a fee payer of others.
func (p *policy) checkSenderReserve(t *tables, e *entry, x *plan) error {
	backed := t.payers[e.from]
	if backed == nil {
		return nil
	}
	reserved := new(uint256.Int).Add(&backed.reserved, &x.account.cost)
	if x.old != nil {
		reserved.Sub(reserved, &x.old.cost)
	}
	balance := p.state.GetBalance(e.from)
	short, overflow := shortage(reserved, &e.cost, balance)
	displaced, enough := backed.displaced(e, x.old, 0, short)
	if overflow || !enough {
		return fmt.Errorf(
			"%w: balance %v, queued cost %v with the fees promised for others, tx cost %v, overshot %v",
			gethcore.ErrInsufficientFunds, balance, reserved, &e.cost, short)
	}
	x.displaced = append(x.displaced, displaced...)
	return nil
}

// checkPayerReserve checks limit and balance of the fee payer, and sets whether e is spare.
func (p *policy) checkPayerReserve(t *tables, e *entry, x *plan) error {
	backed := t.payers[e.payer]
	if backed == nil {
		backed = new(payer)
	}
	queued, ready := uint64(len(backed.queued)), uint64(len(backed.txs)-len(backed.queued))
	reserved := t.ownCosts(e.payer)
	reserved.Add(reserved, &backed.reserved)
	if old := x.old; old != nil && old.paidByOther() && old.payer == e.payer {
		reserved.Sub(reserved, &old.fee)
		if old.queued {
			queued--
		} else {
			ready--
		}
	}
	may := p.mayBack(t, e.payer)
	e.spare = ready+1 > may.sure
	places, share := excess(queued+ready, 1, may.most), p.config.payerQueue()
	if e.queued {
		places = max(places, excess(queued, 1, share))
	}
	if _, enough := backed.displaced(e, x.old, places, new(uint256.Int)); !enough {
		if e.queued && queued >= share {
			return fullBy(payerGapsMeter,
				"%d transactions that this fee payer backs wait behind gaps; send the one with nonce %d first",
				queued, x.account.missing())
		}
		return &PayerLimitError{may.most, may.reason}
	}
	balance := p.state.GetBalance(e.payer)
	short, overflow := shortage(reserved, &e.fee, balance)
	displaced, enough := backed.displaced(e, x.old, places, short)
	if overflow || !enough {
		return fmt.Errorf("%w: balance %v, queued fee cost %v, fee cost %v, overshot %v",
			txpool.ErrFeePayerFunds, balance, reserved, &e.fee, short)
	}
	x.displaced = append(x.displaced, displaced...)
	return nil
}

// shortage returns the wei by which reserved coins and one more amount exceed a balance. It reports an overflow if
// their sum has more than 256 bits.
func shortage(reserved, more, balance *uint256.Int) (wei *uint256.Int, overflow bool) {
	need, overflow := new(uint256.Int).AddOverflow(reserved, more)
	if overflow {
		return need, true
	}
	return subtract(need, balance), false
}

// ownCosts returns a copy of the most wei that the pooled transactions of a sender take from it.
func (t *tables) ownCosts(addr common.Address) *uint256.Int {
	if a := t.accounts[addr]; a != nil {
		return new(uint256.Int).Set(&a.cost)
	}
	return new(uint256.Int)
}

// debt returns the wei by which the reserved coins of an account exceed its balance, or 0.
func (p *policy) debt(t *tables, addr common.Address) *uint256.Int {
	reserved := t.ownCosts(addr)
	if backed := t.payers[addr]; backed != nil {
		reserved.Add(reserved, &backed.reserved)
	}
	return subtract(reserved, p.state.GetBalance(addr))
}

// subtract subtracts wei from an amount, down to 0, and returns it.
func subtract(amount, wei *uint256.Int) *uint256.Int {
	if amount.Lt(wei) {
		return amount.Clear()
	}
	return amount.Sub(amount, wei)
}

// unpayable returns the transactions that the named accounts can no longer pay for, as few as end their debts: queued
// ones first, then the newest. Drained are the accounts with a debt for executable ones. One order over all accounts
// makes the result independent of the iteration order of maps, see docs/adr/0033-drop-order-is-deterministic.md.
func (p *policy) unpayable(
	t *tables, named map[common.Address]struct{},
) (drained map[common.Address]struct{}, gone []*entry) {
	debts := make(map[common.Address]*uint256.Int)
	drained = make(map[common.Address]struct{})
	relieve := func(addr common.Address, wei *uint256.Int, executable bool) (relieved bool) {
		debt := debts[addr]
		if debt == nil || debt.IsZero() || wei.IsZero() {
			return false
		}
		if executable {
			drained[addr] = struct{}{}
		}
		subtract(debt, wei)
		return true
	}
	for _, e := range p.indebted(t, named, debts) {
		bySender := relieve(e.from, &e.cost, !e.queued)
		if e.paidByOther() && relieve(e.payer, &e.fee, !e.queued) || bySender {
			gone = append(gone, e)
		}
	}
	return drained, gone
}

// indebted writes the debts of the named accounts into debts, and returns the transactions that reserve their coins,
// each once, in the order in which they are dropped.
func (p *policy) indebted(
	t *tables, named map[common.Address]struct{}, debts map[common.Address]*uint256.Int,
) (all []*entry) {
	for addr := range named {
		a, backed := t.accounts[addr], t.payers[addr]
		if a == nil && backed == nil {
			continue
		}
		debt := p.debt(t, addr)
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
		return cmp.Or(trueFirst(x.queued, y.queued), cmp.Compare(y.seq, x.seq))
	})
	return slices.Compact(all) // sender and fee payer may both be in debt
}
