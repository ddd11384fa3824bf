// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/log"

	"gwon/consensus/wbft/core"
)

// validation is the verdict on an executed proposal.
type validation struct {
	block    *types.Block
	executed *gethcore.Executed
	err      error
	ran      bool          // only the execution has shown err
	local    bool          // err is a local error
	retry    time.Duration // > 0: no verdict; ask again then
}

// examination is the check of a proposal in the background.
type examination struct{ cancel context.CancelFunc }

// examine checks a proposal in the background. A check under way is not repeated.
func (r *run) examine(block *types.Block) {
	if r.validating[block.Hash()] != nil {
		return
	}
	own, cancel := context.WithCancel(vm.WithCalls(r.ctx, r.callsOf(block.Coinbase())))
	e := &examination{cancel}
	r.validating[block.Hash()] = e
	r.work(func() {
		defer cancel()
		start := time.Now()
		v := r.validate(own, block)
		executeTimer.UpdateSince(start)
		post(own, r.jobs, func() {
			if r.validating[block.Hash()] == e {
				r.onValidated(v)
			}
		})
	})
}

// cancelExamination ends the check of a proposal, which then has no result.
func (r *run) cancelExamination(hash common.Hash) {
	if e := r.validating[hash]; e != nil {
		delete(r.validating, hash)
		canceledMeter.Mark(1)
		e.cancel()
	}
}

// callsOf returns the expensive calls of precompiles in the blocks of a proposer. A call that was given up continues.
// Only blocks of the same proposer wait for it.
func (r *run) callsOf(proposer common.Address) *vm.LongCalls {
	if !r.set.Contains(proposer) {
		return vm.NewPatientCalls() // the block is refused before its execution
	}
	if r.calls[proposer] == nil {
		r.calls[proposer] = vm.NewPatientCalls()
	}
	return r.calls[proposer]
}

// validate checks and executes a proposal (spec wbft 5.7), before any vote. The execution refuses fee payers that have
// not signed.
func (r *run) validate(ctx context.Context, block *types.Block) validation {
	fail := func(err error) validation {
		if isLocal(err) {
			return validation{block: block, err: err, local: true, retry: localRetry}
		}
		return validation{block: block, err: err, ran: errors.Is(err, gethcore.ErrExecution)}
	}
	if err := r.cfg.Engine.VerifyProposal(r.cfg.Chain, block.Header()); errors.Is(err, consensus.ErrFutureBlock) {
		return validation{block: block, err: err, retry: max(time.Millisecond, r.cfg.Engine.FutureBy(block.Header()))}
	} else if err != nil {
		return fail(err)
	}
	types.AdoptSigners(block.Transactions(), r.cfg.Pooled)
	executed, err := r.cfg.Chain.ExecuteProposal(ctx, block)
	if errors.Is(err, gethcore.ErrStaleProposal) {
		// The head has just moved. The new head is about to end the sequence, so the proposal gets no verdict.
		return validation{block: block, err: err, retry: 100 * time.Millisecond}
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
func (r *run) onValidated(v validation) {
	delete(r.validating, v.block.Hash())
	if r.head == nil || v.block.ParentHash() != r.head.Hash() {
		return
	}
	if v.executed != nil {
		r.hold(v.executed)
	}
	switch {
	case v.local:
		log.Error("Proposal not examined", "number", v.block.Number(), "hash", v.block.Hash(), "err", v.err)
	case v.err != nil && v.retry == 0:
		refusedMeter.Mark(1)
		log.Warn("Proposal refused", "number", v.block.Number(), "hash", v.block.Hash(), "coinbase", v.block.Coinbase(),
			"err", r.because(v.err.Error()))
	}
	r.step(core.Validated{Hash: v.block.Hash(), Err: v.err, Executed: v.ran, Local: v.local, RetryAfter: v.retry})
}

// hold keeps an executed block until the sequence ends.
func (r *run) hold(executed *gethcore.Executed) {
	hash := executed.Block().Hash()
	r.executed = slices.DeleteFunc(r.executed, func(ex *gethcore.Executed) bool { return ex.Block().Hash() == hash })
	if r.executed = append(r.executed, executed); len(r.executed) > heldExecutions {
		r.executed = slices.Delete(r.executed, 0, 1) // its state is freed
	}
}

// executedOf returns the kept execution of a block, or nil.
func (r *run) executedOf(hash common.Hash) *gethcore.Executed {
	for _, executed := range r.executed {
		if executed.Block().Hash() == hash {
			return executed
		}
	}
	return nil
}
