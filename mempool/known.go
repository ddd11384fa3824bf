// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/holiman/uint256"
)

// remembered is the number of entries of a kind that are remembered, of up to 150 bytes each: refused transactions,
// those of recent blocks, senders whose nonce was refused, and accounts with a record.
const remembered = 32_768

// refusal is the memory of a refused transaction: its signers, and an error that holds in every later state, or nil.
type refusal struct {
	signers types.Signers
	final   error
}

// precheck refuses, without signature recovery, known transactions and those that a full pool has no place for. It
// gives a transaction that was refused before its remembered signers, and reports whether the sender is among them.
func (p *Pool) precheck(tx *types.Transaction, local bool) (remembered bool, err error) {
	hash := tx.Hash()
	if p.Has(hash) || !local && p.isIncluded(hash) {
		knownMeter.Mark(1)
		return false, txpool.ErrAlreadyKnown
	}
	known, _ := p.refused.Get(hash)
	remembered = known.signers.HasSender()
	if known.final != nil {
		countInvalid(known.final)
		return true, known.final
	}
	tx.SetSigners(known.signers)
	if err := p.checkFull(tx, local); err != nil {
		fullMeter.Mark(1)
		return remembered, err
	}
	return remembered, nil
}

// checkFull refuses a transaction that a full pool admits from no sender, before the sender is recovered. A submission
// may fill a gap, so it passes while transactions are queued.
func (p *Pool) checkFull(tx *types.Transaction, local bool) error {
	p.mu.RLock()
	t := p.tables
	noBytes := t.bytes+tx.Size() > p.policy.config.maxBytes()
	noSlot := t.held.executable >= p.policy.config.GlobalSlots && !(local && t.held.queued > 0)
	p.mu.RUnlock()
	if !noBytes && !noSlot {
		return nil
	}
	feeCap, overflow := uint256.FromBig(tx.GasFeeCap())
	tip, tipOverflow := uint256.FromBig(tx.GasTipCap())
	if overflow || tipOverflow {
		return nil // later checks name the fault
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.policy.checkFull(p.tables, feeCap, tip, tx.Size())
}

// examine makes the checks that need no state, with signature recovery. A copy that was included while it waited is
// refused before that. A submission of an included transaction gets the error about its nonce later instead.
func (p *Pool) examine(tx *types.Transaction, local bool) (*entry, error) {
	if !local && p.isIncluded(tx.Hash()) {
		knownMeter.Mark(1)
		return nil, txpool.ErrAlreadyKnown
	}
	if err := p.ValidateTxBasics(tx); err != nil {
		countInvalid(err)
		memory := refusal{signers: tx.Signers()}
		if isFinal(err) {
			memory.final = err
		}
		p.refused.Add(tx.Hash(), memory)
		return nil, err
	}
	from, err := types.Sender(p.signer, tx)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", txpool.ErrInvalidSender, err)
	}
	tx.SenderTransactionHash() // cached here, so that no lock is held for the computation
	return &entry{tx: tx, from: from, local: local}, nil
}

// isFinal reports whether an error holds in every later state.
func isFinal(err error) bool {
	return errors.Is(err, txpool.ErrInvalidSender) || errors.Is(err, types.ErrInvalidFeePayer) ||
		errors.Is(err, gethcore.ErrIntrinsicGas)
}

// isIncluded reports whether a recent block contains a transaction.
func (p *Pool) isIncluded(hash common.Hash) bool { return p.included.Contains(hash) }

// Known reports whether a copy of a transaction is useless: it is pooled, in a recent block, or refused for good.
func (p *Pool) Known(hash common.Hash) bool {
	if p.Has(hash) || p.isIncluded(hash) {
		return true
	}
	known, ok := p.refused.Peek(hash)
	return ok && known.final != nil
}

// noteRefused remembers a transaction that the checks against the state have refused. The lock is held.
func (p *Pool) noteRefused(e *entry, err error) {
	countInvalid(err)
	if e.local && e.tx.Nonce() == p.missing(e.from) {
		p.tables.missed.Add(e.from, e.tx.Nonce())
	}
	if !errors.Is(err, txpool.ErrAlreadyKnown) {
		p.refused.Add(e.tx.Hash(), refusal{signers: e.tx.Signers()})
	}
}
