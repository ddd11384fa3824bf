// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/holiman/uint256"
)

const (
	// payerStart is how many transactions a fee payer may back that has paid for none yet, as far as this node has seen. For each one
	// that it pays for in a block it may back two more, up to Config.PayerSlots: a new sponsor reaches that within a few blocks, and who
	// only moves coins from one address to the next does not.
	payerStart = 1024

	// recordsKept is how many accounts' records are remembered, by about 120 bytes each.
	recordsKept = 16_384
)

// record is what is remembered of an account.
type record struct {
	paid    uint64 // transactions that it has paid for in blocks, since it was drained last
	drained bool   // it could once not pay for what it had promised
}

// payer is what an account has promised to pay for others.
type payer struct {
	txs      map[*entry]struct{}
	reserved uint256.Int // sum of gas * fee cap, in wei
}

// payer returns the promises of an account, made if there are none.
func (p *Pool) payer(addr common.Address) *payer {
	if p.payers[addr] == nil {
		p.payers[addr] = &payer{txs: make(map[*entry]struct{})}
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
		x.reserved.Sub(&x.reserved, &e.fee)
	}
	return len(x.txs)
}

// mayBack returns how many transactions of others an account may back, and why not more.
func (p *Pool) mayBack(addr common.Address) (limit uint64, why string) {
	known, _ := p.records.Peek(addr)
	start := uint64(payerStart)
	switch {
	case known.drained:
		start, why = p.config.AccountSlots, " until it has paid for some, since its coins have once moved away from under what it had promised"
	case !isCodeless(p.state, addr) || p.mayDelegate(addr):
		start, why = p.config.AccountSlots, " until it has paid for some, since its code can move its coins"
	default:
		why = " until it has paid for some"
	}
	if most := p.config.perPayer(); start+2*known.paid >= most {
		return most, ""
	}
	return start + 2*known.paid, why
}

// hasPaid notes that an account has paid for a transaction in a block. Of those who pay for themselves only the drained are followed.
func (p *Pool) hasPaid(addr common.Address, forOther bool) {
	known, ok := p.records.Get(addr)
	if !ok && !forOther {
		return
	}
	known.paid++
	p.records.Add(addr, known)
}

// checkPromises keeps what an account has promised within its balance: the fees of all pooled transactions that it backs and the costs of its
// own ones, this one included and the one that it replaces left out (spec transactions 6 no. 5).
func (p *Pool) checkPromises(e *entry, a *account) error {
	var old *entry
	if a != nil {
		old = a.get(e.tx.Nonce())
	}
	if known, _ := p.records.Peek(e.from); known.drained && old == nil && a != nil {
		if limit := p.config.AccountSlots + 2*known.paid; uint64(len(a.txs)) >= limit && limit < p.config.perAccount() {
			return full("%d transactions of this account wait; it may have %d until some are in a block, since its coins have once moved away from under them",
				len(a.txs), limit)
		}
	}
	if backed := p.payers[e.from]; backed != nil {
		queued := new(uint256.Int).Add(&backed.reserved, p.ownCosts(e.from))
		if old != nil {
			queued.Sub(queued, &old.cost)
		}
		balance := p.state.GetBalance(e.from)
		if need, over := new(uint256.Int).AddOverflow(queued, &e.cost); over || need.Gt(balance) {
			return fmt.Errorf("%w: balance %v, queued cost %v with the fees promised for others, tx cost %v, overshot %v",
				gethcore.ErrInsufficientFunds, balance, queued, &e.cost, new(big.Int).Sub(need.ToBig(), balance.ToBig()))
		}
	}
	if !e.paidByOther() {
		return nil
	}
	count, reserved := uint64(1), p.ownCosts(e.payer)
	if backed := p.payers[e.payer]; backed != nil {
		count += uint64(len(backed.txs))
		reserved.Add(reserved, &backed.reserved)
	}
	if old != nil && old.paidByOther() && old.payer == e.payer {
		count--
		reserved.Sub(reserved, &old.fee)
	}
	if limit, why := p.mayBack(e.payer); count > limit {
		return &PayerLimitError{limit, why}
	}
	balance := p.state.GetBalance(e.payer)
	if need, over := new(uint256.Int).AddOverflow(reserved, &e.fee); over || need.Gt(balance) {
		return fmt.Errorf("%w: balance %v, queued fee cost %v, fee cost %v, overshot %v",
			txpool.ErrFeePayerFunds, balance, reserved, &e.fee, new(big.Int).Sub(need.ToBig(), balance.ToBig()))
	}
	return nil
}

// ownCosts returns what the pooled transactions that an account sends itself may cost it, in wei. The caller may change it.
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

// unpayable returns which of some accounts are in debt, and the newest transactions that these back or send, as few as end that. What a transaction
// costs may be in the debts of two accounts: newest first over all of them leaves the same, in whatever order they are named.
func (p *Pool) unpayable(named map[common.Address]struct{}) (indebted []common.Address, gone []*entry) {
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
		indebted = append(indebted, addr)
		if a != nil {
			all = append(all, a.txs...)
		}
		if backed != nil {
			all = slices.AppendSeq(all, maps.Keys(backed.txs))
		}
	}
	slices.SortFunc(all, func(x, y *entry) int { return cmp.Compare(y.seq, x.seq) })
	relieve := func(addr common.Address, wei *uint256.Int) (relieved bool) {
		debt := debts[addr]
		if debt == nil || debt.IsZero() || wei.IsZero() {
			return false
		}
		lessBy(debt, wei)
		return true
	}
	for _, e := range slices.Compact(all) { // one of both a sender and a payer in debt is there twice
		bySender := relieve(e.from, &e.cost)
		if e.paidByOther() && relieve(e.payer, &e.fee) || bySender {
			gone = append(gone, e)
		}
	}
	return indebted, gone
}
