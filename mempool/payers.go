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

// freePlaces plans which queued transactions leave for e, so that its fee payer has more places. It reports whether
// these are enough. A queued e displaces those of peers alone.
func (t *tables) freePlaces(e *entry, x *plan, places uint64) bool {
	if places == 0 {
		return true
	}
	backed := t.payers[e.payer]
	if backed == nil || uint64(len(backed.queued)) < places {
		return false
	}
	list := x.displaceable(e, slices.Collect(maps.Keys(backed.queued)))
	if uint64(len(list)) < places {
		return false
	}
	x.displaced = list[:places]
	return true
}

// freeCoins plans which queued transactions leave for an executable e, so that an account has more wei. It reports
// whether these are enough.
func (t *tables) freeCoins(e *entry, x *plan, addr common.Address, wei *uint256.Int) bool {
	if wei.IsZero() {
		return true
	}
	if e.queued {
		return false
	}
	var list []*entry
	sum := new(uint256.Int)
	if a := t.accounts[addr]; a != nil {
		for _, w := range a.txs[a.executable:] {
			if !w.cost.IsZero() {
				list = append(list, w)
				sum.Add(sum, &w.cost)
			}
		}
	}
	if backed := t.payers[addr]; backed != nil {
		list = slices.AppendSeq(list, maps.Keys(backed.queued))
		sum.Add(sum, &backed.queuedFees)
	}
	if sum.Lt(wei) {
		return false // avoids the order for most transactions
	}
	gone, short := x.displaced, new(uint256.Int).Set(wei)
	for _, w := range x.displaceable(e, list) {
		if short.IsZero() {
			break
		}
		gone = append(gone, w)
		subtract(short, w.takes(addr))
	}
	if !short.IsZero() {
		return false
	}
	x.displaced = gone
	return true
}

// displaceable returns those of a list of queued transactions that e may displace, in order: those of peers before
// submissions, then the sender in the list that has waited longest, its highest nonce first. What the plan replaces or
// displaces already is not among them.
func (x *plan) displaceable(e *entry, list []*entry) []*entry {
	list = slices.DeleteFunc(list, func(w *entry) bool { return w == x.old || e.queued && w.local })
	oldest := make(map[queuedSender]uint64) // least sequence number
	for _, w := range list {
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
	return slices.DeleteFunc(list, func(w *entry) bool { return slices.Contains(x.displaced, w) })
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

// mayBack returns the backing of an account. Coins can move away, so an account starts with few reserved slots, and
// each transaction that it has paid for adds two. The limit is as low for an account with code, and after a drain.
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
// transaction that e replaces. It plans which queued transactions an executable e displaces, because they reserve the
// same coins. spec: transactions 6 no. 5
func (p *policy) checkReserved(t *tables, e *entry, x *plan) error {
	if err := p.checkDrained(t, e, x); err != nil {
		return err
	}
	if !e.paidByOther() {
		return p.checkCoins(t, e, x, e.from)
	}
	if err := p.checkPayerPlaces(t, e, x); err != nil {
		return err
	}
	if err := p.checkCoins(t, e, x, e.from); err != nil {
		return err
	}
	return p.checkCoins(t, e, x, e.payer)
}

// checkDrained limits the transactions of a sender that was drained.
func (p *policy) checkDrained(t *tables, e *entry, x *plan) error {
	known, _ := t.records.Peek(e.from)
	if !known.drained || x.old != nil || len(x.account.txs) == 0 {
		return nil
	}
	rivals := x.account.rivals(e)
	held, limit := rivals.executableTxs+rivals.queuedTxs, p.config.AccountSlots+2*known.paid
	if held < limit || limit >= p.config.perAccount() {
		return nil
	}
	return full("%d transactions of this account wait; it may have %d until some are in a block, "+
		"since its coins have once moved away from under them", held, limit)
}

// checkPayerPlaces checks the limit of the fee payer, and sets whether e is spare.
func (p *policy) checkPayerPlaces(t *tables, e *entry, x *plan) error {
	backed := t.payers[e.payer]
	if backed == nil {
		backed = new(payer)
	}
	queued, ready := uint64(len(backed.queued)), uint64(len(backed.txs)-len(backed.queued))
	if old := x.old; old != nil && old.paidByOther() && old.payer == e.payer {
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
	switch {
	case t.freePlaces(e, x, places):
		return nil
	case e.queued && queued >= share:
		return fullBy(payerGapsMeter,
			"%d transactions that this fee payer backs wait behind gaps; send the one with nonce %d first",
			queued, x.account.missing())
	}
	return &PayerLimitError{may.most, may.reason}
}

// checkCoins checks the balance of the sender or fee payer of e.
func (p *policy) checkCoins(t *tables, e *entry, x *plan, addr common.Address) error {
	reserved, balance := t.reserved(addr), p.state.GetBalance(addr)
	if x.old != nil {
		reserved.Sub(reserved, x.old.takes(addr))
	}
	for _, w := range x.displaced {
		reserved.Sub(reserved, w.takes(addr))
	}
	short, overflow := shortage(reserved, e.takes(addr), balance)
	switch {
	case !overflow && t.freeCoins(e, x, addr, short):
		return nil
	case addr == e.from:
		return fmt.Errorf("%w: balance %v, queued cost %v, tx cost %v, overshot %v", gethcore.ErrInsufficientFunds,
			balance, reserved, &e.cost, short)
	}
	return fmt.Errorf("%w: balance %v, queued fee cost %v, fee cost %v, overshot %v", txpool.ErrFeePayerFunds,
		balance, reserved, &e.fee, short)
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

// reserved returns the most wei that pooled transactions take from an account, as their sender or fee payer.
func (t *tables) reserved(addr common.Address) *uint256.Int {
	sum := new(uint256.Int)
	if a := t.accounts[addr]; a != nil {
		sum.Set(&a.cost)
	}
	if backed := t.payers[addr]; backed != nil {
		sum.Add(sum, &backed.reserved)
	}
	return sum
}

// debt returns the wei by which the reserved coins of an account exceed its balance, or 0.
func (p *policy) debt(t *tables, addr common.Address) *uint256.Int {
	return subtract(t.reserved(addr), p.state.GetBalance(addr))
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
