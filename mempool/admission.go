// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/holiman/uint256"
)

// admit takes a transaction into the pool or refuses it. No later step reverts the answer. The lock is held.
func (p *Pool) admit(e *entry) error {
	x, err := p.place(e)
	if err != nil {
		return err
	}
	if err := p.checkAuthorities(e); err != nil {
		return err
	}
	if err := p.tables.apply(e, x); err != nil {
		return err
	}
	evictedMeter.Mark(int64(len(x.evicted)))
	displacedMeter.Mark(int64(len(x.displaced)))
	return nil
}

// place makes all checks of a transaction except that of its authorities, completes e, and plans where it goes.
// The lock is held.
func (p *Pool) place(e *entry) (plan, error) {
	if err := p.check(e); err != nil {
		return plan{}, err
	}
	x, err := p.policy.place(p.tables, e)
	if err != nil {
		countFull(err)
	}
	return x, err
}

// check checks that a transaction is valid at the head, and completes e. The lock is held.
func (p *Pool) check(e *entry) error {
	if p.Has(e.tx.Hash()) { // since examine, which runs without the lock
		return txpool.ErrAlreadyKnown
	}
	if a := p.tables.accounts[e.from]; a != nil {
		p.tables.advance(a, p.state.GetNonce(e.from)) // an authorization may have raised it (EIP-7702)
	}
	if err := p.checkState(e.tx); err != nil {
		return err
	}
	*e = *newEntry(e.tx, e.from, e.authorities, e.local)
	return p.checkHead(e)
}

// missing returns the first nonce of a sender that no pooled transaction has. The lock is held.
func (p *Pool) missing(from common.Address) uint64 {
	if a := p.tables.accounts[from]; a != nil {
		return a.missing()
	}
	return p.state.GetNonce(from)
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

// checkState makes the stateful checks of go-ethereum's pools with those of this chain: flags, nonce and balances. What
// other transactions reserve is up to the policy. spec: transactions 4.1 rows 1 to 6
func (p *Pool) checkState(tx *types.Transaction) error {
	return txpool.ValidateTransactionWithState(tx, p.signer, &txpool.ValidationOptionsWithState{
		State:               p.state,
		ExistingExpenditure: func(common.Address) *big.Int { return new(big.Int) },
		ExistingCost:        func(common.Address, uint64) *big.Int { return nil },
	})
}
