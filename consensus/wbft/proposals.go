// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"context"
	"errors"
	"time"

	"github.com/ethereum/go-ethereum/consensus"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"

	"gwon/consensus/wbft/core"
)

// validation is the verdict on an executed proposal.
type validation struct {
	block    *types.Block
	executed *gethcore.Executed
	err      error
	local    bool          // err is a local error
	retry    time.Duration // > 0: no verdict; ask again then
}

// examine checks a proposal in the background. A check under way is not repeated.
func (d *Driver) examine(ctx context.Context, block *types.Block) {
	if _, running := d.validating[block.Hash()]; running {
		return
	}
	d.validating[block.Hash()] = struct{}{}
	d.work(func() {
		start := time.Now()
		v := d.validate(ctx, block)
		executeTimer.UpdateSince(start)
		post(ctx, d.jobs, func(ctx context.Context) { d.onValidated(ctx, v) })
	})
}

// validate checks and executes a proposal (spec wbft 5.7), before any vote. The execution refuses fee payers that have
// not signed.
func (d *Driver) validate(ctx context.Context, block *types.Block) validation {
	fail := func(err error) validation {
		if isLocal(err) {
			return validation{block: block, err: err, local: true, retry: localRetry}
		}
		return validation{block: block, err: err}
	}
	if err := d.cfg.Engine.VerifyProposal(d.cfg.Chain, block.Header()); errors.Is(err, consensus.ErrFutureBlock) {
		return validation{block: block, err: err, retry: max(time.Millisecond, d.cfg.Engine.FutureBy(block.Header()))}
	} else if err != nil {
		return fail(err)
	}
	types.AdoptSigners(block.Transactions(), d.cfg.Pooled)
	executed, err := d.cfg.Chain.ExecuteProposal(ctx, block)
	if errors.Is(err, gethcore.ErrStaleProposal) {
		// The head has just moved. The new head is about to end the sequence, so the proposal gets no verdict.
		return validation{block: block, err: err, retry: staleRetry}
	} else if err != nil {
		return fail(err)
	}
	return validation{block: block, executed: executed}
}

// isLocal reports whether a check failed in this node, because data is missing or unreadable. A local error never
// accuses the proposer.
func isLocal(err error) bool {
	for _, local := range []error{
		gethcore.ErrUnexamined, errUnreadable, errMissingCode,
		consensus.ErrUnknownAncestor, context.Canceled, context.DeadlineExceeded,
	} {
		if errors.Is(err, local) {
			return true
		}
	}
	return false
}

// onValidated takes the verdict on a proposal.
func (d *Driver) onValidated(ctx context.Context, v validation) {
	delete(d.validating, v.block.Hash())
	if d.head == nil || v.block.ParentHash() != d.head.Hash() {
		return
	}
	if v.executed != nil {
		d.hold(v.executed)
	}
	switch {
	case v.local:
		log.Error("Proposal not examined", "number", v.block.Number(), "hash", v.block.Hash(), "err", v.err)
	case v.err != nil && v.retry == 0:
		refusedMeter.Mark(1)
		log.Warn("Proposal refused", "number", v.block.Number(), "hash", v.block.Hash(), "coinbase", v.block.Coinbase(),
			"err", v.err)
	}
	d.step(ctx, core.Validated{Hash: v.block.Hash(), Err: v.err, Local: v.local, RetryAfter: v.retry})
}

// hold keeps an executed block until the sequence ends.
func (d *Driver) hold(executed *gethcore.Executed) {
	hash := executed.Block().Hash()
	if _, known := d.executed[hash]; !known {
		d.order = append(d.order, hash)
	}
	d.executed[hash] = executed
	if len(d.order) > heldExecutions {
		delete(d.executed, d.order[0])
		d.order = d.order[1:]
	}
}
