// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/txpool/legacypool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/holiman/uint256"
)

// placement is where a valid transaction goes, and what leaves for it.
type placement struct {
	account   *account // of the sender, nil if it has no pooled transaction
	old       *entry   // transaction that is replaced, or nil
	displaced []*entry // queued transactions that reserve its coins
}

// admit takes a transaction into the pool or refuses it. No later step reverts the answer. The lock is held.
func (p *Pool) admit(e *entry) error {
	at, err := p.check(e)
	if err != nil {
		return err
	}
	if err := p.checkAuthorities(e); err != nil {
		return err
	}
	a := at.account
	if a == nil {
		if err := p.reserver.Hold(e.from); err != nil {
			return err
		}
	}
	if err := p.makeRoom(e, a, at.old); err != nil {
		if a == nil {
			p.release(e.from)
		}
		return err
	}
	if a == nil { // an account with transactions has survived makeRoom, which evicts those of other senders
		a = &account{addr: e.from, next: p.state.GetNonce(e.from), authorized: p.state.IsAuthorized(e.from), index: -1}
		p.accounts[e.from] = a
	}
	p.arrivals++
	e.seq = p.arrivals
	if at.old != nil {
		e.seq = at.old.seq
		e.local = e.local || at.old.local
	}
	p.insert(a, e)
	if nonce, known := p.missed.Peek(e.from); known && nonce == e.tx.Nonce() {
		p.missed.Remove(e.from)
	}
	p.drop(at.displaced) // last: a refused transaction displaces none
	displacedMeter.Mark(int64(len(at.displaced)))
	return nil
}

// check makes all checks of a transaction except room and authorities, and completes e. The lock is held.
func (p *Pool) check(e *entry) (at placement, err error) {
	if p.Has(e.tx.Hash()) { // since examine, which runs without the lock
		return at, txpool.ErrAlreadyKnown
	}
	a := p.accounts[e.from]
	if a != nil && p.state.GetNonce(e.from) != a.next { // an authorization has raised it (EIP-7702)
		p.advance(e.from)
		a = p.accounts[e.from]
	}
	if err := p.checkState(e.tx, a); err != nil {
		return at, err
	}
	*e = *newEntry(e.tx, e.from, e.authorities, e.local)
	if err := p.checkHead(e); err != nil {
		return at, err
	}
	e.queued = e.tx.Nonce() > p.missing(e.from, a)
	var old *entry
	if a != nil {
		old = a.get(e.tx.Nonce())
	}
	displaced, err := p.checkReserved(e, old, a)
	if err != nil {
		return at, err
	}
	if err := p.checkDelegated(e, a); err != nil {
		return at, err
	}
	if old != nil && !mayReplace(e.tx, old.tx, p.config.PriceBump) {
		return at, txpool.ErrReplaceUnderpriced
	}
	return placement{a, old, displaced}, nil
}

// missing returns the first nonce of a sender that no pooled transaction has. Its account is nil if it has none.
func (p *Pool) missing(from common.Address, a *account) uint64 {
	if a == nil {
		return p.state.GetNonce(from)
	}
	return a.next + uint64(a.executable)
}

// checkHead repeats the checks of examine that depend on the head or the tip, which may have changed since.
func (p *Pool) checkHead(e *entry) error {
	minimum := p.minTip.Load()
	if e.offersLess(minimum) {
		return fmt.Errorf("%w: gas tip cap %v, minimum needed %v", txpool.ErrTxGasPriceTooLow, &e.tip, minimum)
	}
	if limit := p.head.Load().GasLimit; e.tx.Gas() > limit {
		return fmt.Errorf("%w: %d, a block has %d", txpool.ErrGasLimit, e.tx.Gas(), limit)
	}
	return nil
}

// offersLess reports whether tip or fee cap are below the minimum for a governed tip in wei.
func (e *entry) offersLess(tip *uint256.Int) bool {
	least, overflow := uint256.FromBig(txpool.MinFeeCap(tip.ToBig()))
	return overflow || e.tip.Lt(tip) || e.feeCap.Lt(least)
}

// checkState makes the stateful checks of go-ethereum's pools with those of this chain: flags, nonce and balances.
// Queued transactions of the sender count with their full costs. spec: transactions 4.1 rows 1 to 6
func (p *Pool) checkState(tx *types.Transaction, a *account) error {
	return txpool.ValidateTransactionWithState(tx, p.signer, &txpool.ValidationOptionsWithState{
		State: p.state,
		ExistingExpenditure: func(common.Address) *big.Int {
			if a == nil {
				return new(big.Int)
			}
			return a.cost.ToBig()
		},
		ExistingCost: func(_ common.Address, nonce uint64) *big.Int {
			if a != nil {
				if old := a.get(nonce); old != nil {
					return old.cost.ToBig()
				}
			}
			return nil
		},
	})
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

// checkDelegated limits an account with code, or with a pooled authorization, to one transaction without a gap: its
// coins can move without a transaction of its own. spec: transactions 4.1 row 7
func (p *Pool) checkDelegated(e *entry, a *account) error {
	if isCodeless(p.state, e.from) && !p.mayDelegate(e.from) {
		return nil
	}
	switch {
	case a == nil || a.executable == 0:
		if e.tx.Nonce() != p.state.GetNonce(e.from) {
			return legacypool.ErrOutOfOrderTxFromDelegated
		}
	case a.get(e.tx.Nonce()) == nil:
		return txpool.ErrInflightTxLimitReached
	}
	return nil
}

// isCodeless reports whether an account has neither code nor a delegation. An account that does not exist yet is
// codeless. spec: transactions 6 no. 5a
func isCodeless(statedb *state.StateDB, addr common.Address) bool {
	hash := statedb.GetCodeHash(addr)
	return hash == types.EmptyCodeHash || hash == (common.Hash{})
}

// makeRoom finds a place for e, and evicts transactions for it if needed. Old is the transaction that e replaces, or
// nil. The error says which limit is reached.
func (p *Pool) makeRoom(e *entry, a *account, old *entry) error {
	var (
		own      tally
		fillsGap bool
		replaced entry
		missing  = p.missing(e.from, a)
	)
	if a != nil {
		own = a.slots
		fillsGap = e.tx.Nonce() == missing && len(a.txs) > a.executable && a.txs[a.executable].tx.Nonce() == missing+1
	}
	if old != nil {
		replaced = *old
	}
	slots := e.slots - min(e.slots, replaced.slots)
	bytes := e.size - min(e.size, replaced.size)
	if slots == 0 && bytes == 0 {
		return nil
	}
	if limit := p.config.perAccount(); old == nil && own.executable+own.queued+slots > limit {
		return full("%d transactions of this account wait, it may have %d; send more when some are in a block",
			own.executableTxs+own.queuedTxs, limit)
	}
	if e.queued {
		if nonce, known := p.missed.Peek(e.from); known && nonce == missing && e.local && old == nil {
			missedMeter.Mark(1)
			return full("the transaction with nonce %d was refused; send it first", missing)
		}
		return p.makeRoomInQueue(e, a, slots, bytes, missing)
	}
	limit, used := p.config.GlobalSlots, p.held.executable
	if own.executable >= p.config.AccountSlots {
		limit -= limit / 4 // the last quarter is for senders with few transactions
	}
	if fillsGap { // the next one leaves the queue for it, so both limits count together
		limit, used = p.config.GlobalSlots+p.config.GlobalQueue, p.held.executable+p.held.queued
	}
	lackSlots, lackBytes := excess(used, slots, limit), excess(p.bytes, bytes, p.config.maxBytes())
	if lackSlots == 0 && lackBytes == 0 || p.evict(e, a, min(lackSlots, slots), lackBytes) {
		return nil
	}
	if e.spare {
		payerLimitMeter.Mark(1)
		return &PayerLimitError{p.mayBack(e.payer).sure, " in a full pool until it has paid for some"}
	}
	if sure := p.surePlaces(e.from, p.state.GetNonce(e.from)); e.place > sure {
		senderRoomMeter.Mark(1)
		return full("%d transactions of this account wait; "+
			"it has places for %d KiB in a full pool until more are in a block", own.executableTxs, sure)
	}
	return p.fullError(bytes, own.executable >= p.config.AccountSlots)
}

// excess returns by how much more than a limit is used with need added, and 0 for a need of 0.
func excess(used, need, limit uint64) uint64 {
	if need == 0 || used+need <= limit {
		return 0
	}
	return used + need - limit
}

// fullError returns the error for a transaction with the given bytes, whose sender has many executable ones or few.
func (p *Pool) fullError(bytes uint64, many bool) error {
	if most := p.config.maxBytes(); p.bytes+bytes > most {
		return full("%d bytes of transactions wait for a block, of at most %d; send it again in a few seconds",
			p.bytes, most)
	}
	if many && p.held.executable < p.config.GlobalSlots {
		return full("%d transactions wait for a block, and the last places are for accounts with fewer than %d; "+
			"send it again in a few seconds", p.held.executableTxs, p.config.AccountSlots)
	}
	return full("%d transactions wait for a block; send it again in a few seconds", p.held.executableTxs)
}

// makeRoomInQueue finds a place for a queued transaction, whose sender lacks the missing nonce. It evicts the oldest
// queued transactions of peers, and never submissions. spec: transactions 4.5
func (p *Pool) makeRoomInQueue(e *entry, a *account, slots, bytes, missing uint64) error {
	if a != nil && excess(a.slots.queued, slots, p.config.AccountQueue) > 0 {
		return full("%d transactions of this account wait behind a gap; send the one with nonce %d first",
			a.slots.queuedTxs, missing)
	}
	if excess(p.bytes, bytes, p.config.maxBytes()) > 0 {
		return p.fullError(bytes, false)
	}
	for excess(p.held.queued, slots, p.config.GlobalQueue) > 0 {
		victim := p.queue.pop(p, e.from)
		if victim == nil {
			return full("%d transactions wait behind gaps; send the one with nonce %d first", p.held.queuedTxs, missing)
		}
		p.drop([]*entry{victim})
	}
	return nil
}
