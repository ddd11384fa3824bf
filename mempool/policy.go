// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/txpool/legacypool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/holiman/uint256"
)

// policy decides where a transaction goes and which ones leave for it. It changes no table: its only effect on them is
// that it has the order of eviction made again when prices have changed.
type policy struct {
	config  Config
	state   accountState // of the head
	tip     uint256.Int  // governed tip in wei per gas: the lowest own tip, and what ordinary accounts pay
	baseFee uint256.Int  // of the next block, in wei per gas
}

// accountState is what the policy reads of a state. *state.StateDB implements it.
type accountState interface {
	GetNonce(addr common.Address) uint64
	GetBalance(addr common.Address) *uint256.Int
	GetCodeHash(addr common.Address) common.Hash
	IsAuthorized(addr common.Address) bool
}

// plan is where a valid transaction goes, and what leaves for it.
type plan struct {
	account   *account // of the sender, a new one if the tables have none
	old       *entry   // transaction that is replaced, or nil
	displaced []*entry // queued transactions that reserve coins of its sender or fee payer, or places of the latter
	evicted   []*entry // executable transactions that are worth less
	passed    *passage // queued transactions that leave a full queue, nil for none
}

// place plans the place of a transaction that is valid at the head, or says which limit is reached. It sets whether e
// is queued and spare, and changes no table.
func (p *policy) place(t *tables, e *entry) (x plan, err error) {
	x.account = t.accounts[e.from]
	if x.account == nil {
		x.account = &account{
			addr: e.from, next: p.state.GetNonce(e.from), authorized: p.state.IsAuthorized(e.from), index: -1,
		}
	}
	x.old = x.account.get(e.tx.Nonce())
	e.queued = e.tx.Nonce() > x.account.missing()
	if err := p.checkReserved(t, e, &x); err != nil {
		return plan{}, err
	}
	if err := p.checkDelegated(t, e, x.account); err != nil {
		return plan{}, err
	}
	if x.old != nil && !mayReplace(e.tx, x.old.tx, p.config.PriceBump) {
		return plan{}, txpool.ErrReplaceUnderpriced
	}
	if err := p.findRoom(t, e, &x); err != nil {
		return plan{}, err
	}
	return x, nil
}

// mayReplace reports whether both fees of tx exceed those of old by at least the given percentage.
// spec: transactions 4.2
func mayReplace(tx, old *types.Transaction, percent uint64) bool {
	higher := func(have, than *big.Int) bool {
		if have.Cmp(than) <= 0 {
			return false
		}
		least := new(big.Int).Mul(than, new(big.Int).SetUint64(100+percent))
		return have.Cmp(least.Div(least, big.NewInt(100))) >= 0
	}
	return higher(tx.GasFeeCap(), old.GasFeeCap()) && higher(tx.GasTipCap(), old.GasTipCap())
}

// checkDelegated limits an account with code, or with a pooled authorization, to few transactions without a gap: its
// coins can move without a transaction of its own. spec: transactions 4.1 row 7
func (p *policy) checkDelegated(t *tables, e *entry, a *account) error {
	if isCodeless(p.state, e.from) && !p.mayDelegate(t, e.from) {
		return nil
	}
	switch nonce := e.tx.Nonce(); {
	case a.executable > 0 && a.get(nonce) != nil: // replaces one
	case uint64(a.executable) >= p.config.DelegatedSlots:
		return txpool.ErrInflightTxLimitReached
	case nonce != a.missing():
		return legacypool.ErrOutOfOrderTxFromDelegated
	}
	return nil
}

// isCodeless reports whether an account has neither code nor a delegation. An account that does not exist yet is
// codeless. spec: transactions 6 no. 5a
func isCodeless(state accountState, addr common.Address) bool {
	hash := state.GetCodeHash(addr)
	return hash == types.EmptyCodeHash || hash == (common.Hash{})
}

// mayDelegate reports whether a pooled transaction carries an authorization of an account that can still be valid.
func (p *policy) mayDelegate(t *tables, addr common.Address) bool {
	d := t.delegations[addr]
	return d.transactions > 0 && d.nonce >= p.state.GetNonce(addr)
}

// need is what a transaction takes besides what the one that it replaces has taken.
type need struct{ slots, bytes uint64 }

// findRoom plans what leaves for a transaction, or says which limit of slots and bytes is reached.
func (p *policy) findRoom(t *tables, e *entry, x *plan) error {
	want := need{e.slots, e.size}
	if x.old != nil {
		want.slots -= min(want.slots, x.old.slots)
		want.bytes -= min(want.bytes, x.old.size)
	}
	if want == (need{}) {
		return nil
	}
	own := x.account.rivals(e)
	if limit := p.config.perAccount(); x.old == nil && own.executable+own.queued+want.slots > limit {
		return full("%d transactions of this account wait, it may have %d; send more when some are in a block",
			own.executableTxs+own.queuedTxs, limit)
	}
	if e.queued {
		return p.findQueuedRoom(t, e, x, want)
	}
	return p.findExecutableRoom(t, e, x, want)
}

// findExecutableRoom plans the place of an executable transaction. If needed, transactions of others that are worth
// less leave for it.
func (p *policy) findExecutableRoom(t *tables, e *entry, x *plan, want need) error {
	limit, used := p.config.GlobalSlots, t.held.executable
	many := x.account.slots.executable >= p.config.AccountSlots
	if many {
		limit -= limit / 4 // the last quarter is for senders with few transactions
	}
	if x.account.isFilledBy(e.tx.Nonce()) { // the next one leaves the queue for it, so both limits count together
		limit, used = p.config.GlobalSlots+p.config.GlobalQueue, t.held.executable+t.held.queued
	}
	lack := need{min(want.slots, excess(used, want.slots, limit)), excess(t.bytes, want.bytes, p.config.maxBytes())}
	if lack == (need{}) {
		return nil
	}
	order, sure := t.evictionOrder(), p.surePlaces(t, e.from, x.account.next)
	p.rankNew(e, x.account, sure)
	victims, enough := order.victims(e, lack.slots, lack.bytes)
	switch {
	case enough:
		x.evicted = victims
		return nil
	case e.spare:
		return &PayerLimitError{p.mayBack(t, e.payer).sure, " in a full pool until it has paid for some"}
	case e.place > sure:
		return fullBy(senderRoomMeter, "%d transactions of this account wait; "+
			"it has places for %d KiB in a full pool until more are in a block", x.account.slots.executableTxs, sure)
	}
	return p.fullError(t, want.bytes, many)
}

// findQueuedRoom plans the place of a queued transaction. If needed, the oldest queued transactions of peers leave for
// it, and never submissions. spec: transactions 4.5
func (p *policy) findQueuedRoom(t *tables, e *entry, x *plan, want need) error {
	missing := x.account.missing()
	if nonce, known := t.missed.Peek(e.from); known && nonce == missing && e.local && x.old == nil {
		return fullBy(missedMeter, "the transaction with nonce %d was refused; send it first", missing)
	}
	if excess(x.account.slots.queued, want.slots, p.config.AccountQueue) > 0 {
		return full("%d transactions of this account wait behind a gap; send the one with nonce %d first",
			x.account.slots.queuedTxs, missing)
	}
	if excess(t.bytes, want.bytes, p.config.maxBytes()) > 0 {
		return p.fullError(t, want.bytes, false)
	}
	lack := excess(t.held.queued, want.slots, p.config.GlobalQueue)
	if lack == 0 {
		return nil
	}
	x.passed = &passage{queue: &t.queue}
	for freed := uint64(0); freed < lack; {
		victim := x.passed.pass(t.accounts, e.from)
		if victim == nil {
			return full("%d transactions wait behind gaps; send the one with nonce %d first", t.held.queuedTxs, missing)
		}
		freed += victim.slots
	}
	return nil
}

// excess returns by how much more than a limit is used with need added, and 0 for a need of 0.
func excess(used, need, limit uint64) uint64 {
	if need == 0 || used+need <= limit {
		return 0
	}
	return used + need - limit
}

// fullError returns the error for a transaction with the given bytes, whose sender has many executable ones or few.
func (p *policy) fullError(t *tables, bytes uint64, many bool) error {
	if most := p.config.maxBytes(); t.bytes+bytes > most {
		return full("%d bytes of transactions wait for a block, of at most %d; send it again in a few seconds",
			t.bytes, most)
	}
	if many && t.held.executable < p.config.GlobalSlots {
		return full("%d transactions wait for a block, and the last places are for accounts with fewer than %d; "+
			"send it again in a few seconds", t.held.executableTxs, p.config.AccountSlots)
	}
	return full("%d transactions wait for a block; send it again in a few seconds", t.held.executableTxs)
}

// checkFull refuses fees and a size that a full pool takes from no sender. A transaction pays at most
// min(fee cap - base fee, own tip): ordinary accounts pay the governed tip, which is the lowest own tip.
func (p *policy) checkFull(t *tables, feeCap, tip *uint256.Int, bytes uint64) error {
	offer := p.paid(feeCap, tip, true)
	if order := t.evictionOrder(); len(order) > 0 && offer.Gt(&order[0].last().worth) {
		return nil
	}
	return p.fullError(t, bytes, false)
}

// paid returns what a transaction pays at the head, in wei per gas: min(fee cap - base fee, governed tip), with an
// authorized sender's own tip.
func (p *policy) paid(feeCap, tip *uint256.Int, authorized bool) (left uint256.Int) {
	if feeCap.Lt(&p.baseFee) {
		return left
	}
	left.Sub(feeCap, &p.baseFee)
	limit := &p.tip
	if authorized {
		limit = tip
	}
	if left.Gt(limit) {
		left.Set(limit)
	}
	return left
}

// payment returns what a pooled transaction pays at the head, in wei per gas, and 0 for a spare one.
func (p *policy) payment(e *entry, authorized bool) (left uint256.Int) {
	if e.spare {
		return left
	}
	return p.paid(&e.feeCap, &e.tip, authorized)
}

// price implements pricer.
func (p *policy) price(t *tables, a *account, from int) {
	var before *entry
	if from > 0 {
		before = a.txs[from-1]
	}
	sure := p.surePlaces(t, a.addr, a.next)
	for _, e := range a.txs[from:a.executable] {
		e.worth = p.rank(e, before, sure, a.authorized)
		before = e
	}
}

// rankNew sets place and worth of a transaction that is not in the tables yet. Those before it have prices.
func (p *policy) rankNew(e *entry, a *account, sure uint64) {
	var before *entry
	if i, _ := a.find(e.tx.Nonce()); i > 0 {
		before = a.txs[i-1]
	}
	e.worth = p.rank(e, before, sure, p.state.IsAuthorized(e.from))
}
