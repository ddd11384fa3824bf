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

// admit decides whether a transaction is taken, and takes it. Whatever it says holds: nothing is taken that a later step would throw out.
// The lock is held.
func (p *Pool) admit(e *entry) error {
	a, old, yield, err := p.check(e)
	if err != nil {
		return err
	}
	if err := p.checkAuthors(e); err != nil {
		return err
	}
	if a == nil {
		if err := p.reserver.Hold(e.from); err != nil {
			return err
		}
	}
	if err := p.makeRoom(e, a, old); err != nil {
		if a == nil {
			p.release(e.from)
		}
		return err
	}
	if a == nil { // otherwise it is still there, for whoever had to give way has another sender
		a = &account{addr: e.from, next: p.state.GetNonce(e.from), authorized: p.state.IsAuthorized(e.from), place: -1}
		p.accounts[e.from] = a
	}
	p.arrivals++
	e.seq = p.arrivals
	if old != nil {
		e.seq = old.seq // it has waited in this place
		e.local = e.local || old.local
	}
	p.insert(a, e)
	if nonce, known := p.missed.Peek(e.from); known && nonce == e.tx.Nonce() {
		p.missed.Remove(e.from)
	}
	p.drop(yield) // not before: nothing goes for a transaction that is refused, and e keeps its account in the pool
	yieldedMeter.Mark(int64(len(yield)))
	return nil
}

// check tells what speaks against a transaction, but want of room and who has signed its authorizations. It returns the account that sends it
// and the transaction that it would replace, each nil if there is none, and those behind gaps that have to go for it. The lock is held.
func (p *Pool) check(e *entry) (a *account, old *entry, yield []*entry, err error) {
	if p.Has(e.tx.Hash()) { // since examine has looked
		return nil, nil, nil, txpool.ErrAlreadyKnown
	}
	a = p.accounts[e.from]
	if a != nil && p.state.GetNonce(e.from) != a.next { // by an authorization that it has signed (EIP-7702)
		p.advance(e.from)
		a = p.accounts[e.from]
	}
	if err := p.checkState(e.tx, a); err != nil {
		return nil, nil, nil, err
	}
	*e = *newEntry(e.tx, e.from, e.authors).withOrigin(e.local)
	if err := p.checkHead(e); err != nil {
		return nil, nil, nil, err
	}
	e.gapped = e.tx.Nonce() > p.missing(e.from, a)
	if a != nil {
		old = a.get(e.tx.Nonce())
	}
	if yield, err = p.checkPromises(e, old, a); err != nil {
		return nil, nil, nil, err
	}
	if err := p.checkDelegation(e, a); err != nil {
		return nil, nil, nil, err
	}
	if old != nil && !outbids(e.tx, old.tx, p.config.PriceBump) {
		return nil, nil, nil, txpool.ErrReplaceUnderpriced
	}
	return a, old, yield, nil
}

// missing returns the first nonce of a sender that no pooled transaction has. Its account is nil when it has none.
func (p *Pool) missing(from common.Address, a *account) uint64 {
	if a == nil {
		return p.state.GetNonce(from)
	}
	return a.next + uint64(a.executable)
}

// checkHead makes the checks again whose answer may be another one since examine has made them without the lock: what has come to ask for more has
// looked at what was pooled, and e was not.
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

// offersLess tells that a transaction does not offer what is asked for where the least tip is that, in wei.
func (e *entry) offersLess(tip *uint256.Int) bool {
	least, nobodyCan := uint256.FromBig(txpool.MinFeeCap(tip.ToBig()))
	return nobodyCan || e.tip.Lt(tip) || e.feeCap.Lt(least)
}

func (e *entry) withOrigin(local bool) *entry {
	e.local = local
	return e
}

// checkState makes the stateful checks of go-ethereum's pools with those of this chain: flags, nonce, balances (spec transactions 4.1, rows
// 1 to 6). What the sender has promised already counts in full, also behind a gap: it is going to be executable.
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

// outbids tells that tx may replace old: both fees are higher, by the percentage at least (spec transactions 4.2).
func outbids(tx, old *types.Transaction, percent uint64) bool {
	higher := func(have, than *big.Int) bool {
		if have.Cmp(than) <= 0 {
			return false
		}
		least := new(big.Int).Mul(than, new(big.Int).SetUint64(100+percent))
		return have.Cmp(least.Div(least, big.NewInt(100))) >= 0
	}
	return higher(tx.GasFeeCap(), old.GasFeeCap()) && higher(tx.GasTipCap(), old.GasTipCap())
}

// checkDelegation lets an account that has code, or signs for some in a pooled transaction, have one transaction in the pool: its coins can
// move without a transaction of its own (spec transactions 4.1, row 7).
func (p *Pool) checkDelegation(e *entry, a *account) error {
	if !isCodeless(p.state, e.from) || p.mayDelegate(e.from) {
		switch {
		case a == nil || a.executable == 0:
			next := p.state.GetNonce(e.from)
			if e.tx.Nonce() != next {
				return legacypool.ErrOutOfOrderTxFromDelegated
			}
		case a.get(e.tx.Nonce()) == nil:
			return txpool.ErrInflightTxLimitReached
		}
	}
	return nil
}

// isCodeless reports that an account has neither code nor a delegation. One that does not exist yet is codeless: a new sender whose fees
// somebody else pays may have as many pooled transactions as any other (spec transactions 6 no. 5a).
func isCodeless(statedb *state.StateDB, addr common.Address) bool {
	hash := statedb.GetCodeHash(addr)
	return hash == types.EmptyCodeHash || hash == (common.Hash{})
}

// makeRoom tells whether there is a place for e, and makes the others give way that have to. Old is what e replaces, or nil.
func (p *Pool) makeRoom(e *entry, a *account, old *entry) error {
	var (
		own      tally
		fills    bool
		replaced entry
		missing  = p.missing(e.from, a)
	)
	if a != nil {
		own = a.slots
		fills = e.tx.Nonce() == missing && len(a.txs) > a.executable && a.txs[a.executable].tx.Nonce() == missing+1
	}
	if old != nil {
		replaced = *old
	}
	var (
		need  = e.slots - min(e.slots, replaced.slots)
		bytes = e.size - min(e.size, replaced.size)
	)
	if need == 0 && bytes == 0 {
		return nil
	}
	if limit := p.config.perAccount(); old == nil && own.executable+own.gapped+need > limit {
		return full("%d transactions of this account wait, it may have %d; send more when some are in a block",
			own.executableTxs+own.gappedTxs, limit)
	}
	if e.gapped {
		if nonce, known := p.missed.Peek(e.from); known && nonce == missing && e.local && old == nil {
			missedMeter.Mark(1)
			return full("the transaction with nonce %d was refused; send it first", missing)
		}
		return p.makeRoomBehindGap(e, a, need, bytes, missing)
	}
	limit := p.config.GlobalSlots
	if own.executable >= p.config.AccountSlots {
		limit -= limit / 4 // the last quarter is for those who have little
	}
	crowd := p.held.executable
	if fills { // what waits behind it comes free: it may have a place among those behind gaps
		limit, crowd = p.config.GlobalSlots+p.config.GlobalQueue, p.held.executable+p.held.gapped
	}
	lackSlots, lackBytes := lack(crowd, need, limit), lack(p.bytes, bytes, p.config.maxBytes())
	if lackSlots == 0 && lackBytes == 0 || p.outbid(e, a, min(lackSlots, need), lackBytes) { // as many go as come
		return nil
	}
	if e.spare {
		payerLimitMeter.Mark(1)
		return &PayerLimitError{p.mayBack(e.payer).sure, " in a full pool until it has paid for some"}
	}
	if sure := p.surePlaces(e.from, p.state.GetNonce(e.from)); e.room > sure {
		senderRoomMeter.Mark(1)
		return full("%d transactions of this account wait; it has places for %d KiB in a full pool until more are in a block",
			own.executableTxs, sure)
	}
	return p.fullError(bytes, own.executable >= p.config.AccountSlots)
}

// lack returns by how much a limit is exceeded with need more than there is. Who needs nothing lacks nothing.
func lack(have, need, limit uint64) uint64 {
	if need == 0 || have+need <= limit {
		return 0
	}
	return have + need - limit
}

// fullError says why there is no room for a transaction of so many bytes whose sender has many or few.
func (p *Pool) fullError(bytes uint64, many bool) error {
	if most := p.config.maxBytes(); p.bytes+bytes > most {
		return full("%d bytes of transactions wait for a block, of at most %d; send it again in a few seconds", p.bytes, most)
	}
	if many && p.held.executable < p.config.GlobalSlots {
		return full("%d transactions wait for a block, and the last places are for accounts with fewer than %d; send it again in a few seconds",
			p.held.executableTxs, p.config.AccountSlots)
	}
	return full("%d transactions wait for a block; send it again in a few seconds", p.held.executableTxs)
}

// makeRoomBehindGap tells whether there is a place for a transaction that has to wait for one before it, with the nonce missing. Those that
// peers have sent give way, the oldest first; what was submitted here does not.
func (p *Pool) makeRoomBehindGap(e *entry, a *account, need, bytes, missing uint64) error {
	if a != nil && lack(a.slots.gapped, need, p.config.AccountQueue) > 0 {
		return full("%d transactions of this account wait behind a gap; send the one with nonce %d first", a.slots.gappedTxs, missing)
	}
	if lack(p.bytes, bytes, p.config.maxBytes()) > 0 {
		return p.fullError(bytes, false)
	}
	for lack(p.held.gapped, need, p.config.GlobalQueue) > 0 {
		victim := p.waiting.oldest(p, e.from)
		if victim == nil {
			return full("%d transactions wait behind gaps; send the one with nonce %d first", p.held.gappedTxs, missing)
		}
		p.drop([]*entry{victim})
	}
	return nil
}
