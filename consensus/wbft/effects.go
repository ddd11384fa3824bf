// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/consensus"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"

	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/signlog"
)

var (
	sequenceGauge     = metrics.NewRegisteredGauge("wbft/sequence", nil)
	roundGauge        = metrics.NewRegisteredGauge("wbft/round", nil)
	violationGauge    = metrics.NewRegisteredGauge("gwon/safety/violations", nil)
	haltedGauge       = metrics.NewRegisteredGauge("wbft/halted", nil)
	proposedMeter     = metrics.NewRegisteredMeter("wbft/blocks/proposed", nil)
	committedMeter    = metrics.NewRegisteredMeter("wbft/blocks/committed", nil)
	refusedMeter      = metrics.NewRegisteredMeter("wbft/proposals/refused", nil)
	misbehaviourMeter = metrics.NewRegisteredMeter("wbft/misbehaviour", nil)
	droppedMeter      = metrics.NewRegisteredMeter("wbft/messages/dropped", nil)
	executeTimer      = metrics.NewRegisteredTimer("wbft/execute", nil)
	buildTimer        = metrics.NewRegisteredTimer("wbft/build", nil)
)

// perform carries out one effect. It returns an event when the answer is known at once, and an error when the validator must
// not go on.
func (d *Driver) perform(ctx context.Context, effect core.Effect) (core.Event, error) {
	switch e := effect.(type) {
	case core.Persist:
		if d.signed == nil {
			return nil, nil
		}
		if err := d.signed.Write([]signlog.Record{signlog.Record(e.Vote)}, nil); err != nil {
			return nil, fmt.Errorf("a vote could not be made durable, so it was not sent; mend the disk, then restart: %w", err)
		}
	case core.PersistLock:
		if d.signed == nil {
			return nil, nil
		}
		if err := d.signed.Write(nil, []signlog.Lock{signlog.Lock(e)}); err != nil {
			return nil, fmt.Errorf("a prepared certificate could not be made durable, so it was not acted on; mend the disk, then restart: %w", err)
		}
	case core.Send:
		d.cfg.Network.Send(d.set.Addresses(), e.Code, e.Payload, e.To, e.Force)
	case core.Relay:
		d.cfg.Network.Relay(d.set.Addresses(), e.Code, e.Payload)
	case core.SetTimer:
		d.setTimer(ctx, e)
	case core.Execute:
		if _, done := d.executed[e.Block.Hash()]; done {
			return core.Validated{Hash: e.Block.Hash()}, nil
		}
		d.work(func() {
			start := time.Now()
			v := d.validate(ctx, e.Block)
			executeTimer.UpdateSince(start)
			post(ctx, d.validated, v) // a verdict that the shutdown has spoilt goes nowhere
		})
	case core.Build:
		d.schedule(ctx, e)
	case core.Commit:
		executed := d.executed[e.Block.Hash()]
		d.work(func() { d.commit(e.Block, e.Round, executed) })
	case core.Misbehaviour:
		misbehaviourMeter.Mark(1)
		d.reports.write(time.Now(), e)
	case core.Failed:
		log.Error("Consensus step failed", "err", e.Err)
	case core.StopSigning:
		log.Error("This validator signs nothing more: its key is in use elsewhere", "reason", e.Reason)
	case core.BadDelivery:
		droppedMeter.Mark(1)
		log.Debug("Consensus message with an invalid part", "from", e.From, "reason", e.Reason)
	case core.Dropped:
		droppedMeter.Mark(1)
		log.Trace("Consensus message dropped", "reason", e.Reason)
	default:
		return nil, fmt.Errorf("unknown effect %T", effect)
	}
	return nil, nil
}

// work runs f in a goroutine that Stop waits for.
func (d *Driver) work(f func()) {
	d.workers.Add(1)
	go func() {
		defer d.workers.Done()
		f()
	}()
}

// post sends unless the driver has stopped.
func post[T any](ctx context.Context, to chan<- T, value T) {
	select {
	case to <- value:
	case <-ctx.Done():
	}
}

func (d *Driver) setTimer(ctx context.Context, e core.SetTimer) {
	if old := d.timers[e.Kind]; old != nil {
		old.Stop()
	}
	d.timers[e.Kind] = time.AfterFunc(e.Delay, func() { post(ctx, d.fired, e.ID) })
}

// validate checks a proposal and executes it (spec wbft 5.7; executed before any vote). The execution refuses fee payers that
// have not signed.
func (d *Driver) validate(ctx context.Context, block *types.Block) validation {
	fail := func(err error) validation { return validation{block: block, err: err} }
	if err := d.cfg.Engine.VerifyProposal(d.cfg.Chain, block.Header()); errors.Is(err, consensus.ErrFutureBlock) {
		return validation{block: block, err: err, retry: max(time.Millisecond, d.cfg.Engine.FutureBy(block.Header()))}
	} else if err != nil {
		return fail(err)
	}
	types.AdoptSigners(block.Transactions(), d.cfg.Pooled)
	executed, err := d.cfg.Chain.ExecuteProposal(ctx, block)
	if errors.Is(err, gethcore.ErrStaleProposal) {
		// The head has just moved, which says nothing about the proposal: the new head is about to end its sequence.
		return validation{block: block, err: err, retry: staleRetry}
	} else if err != nil {
		return fail(err)
	}
	return validation{block: block, executed: executed}
}

// commit writes a block that a quorum has sealed. The new head event moves the state machine on.
func (d *Driver) commit(block *types.Block, round uint64, executed *gethcore.Executed) {
	err := gethcore.ErrStaleProposal
	if executed != nil {
		if err = d.cfg.Chain.CommitExecuted(block, executed); err == nil {
			d.durable.Store(block.NumberU64())
		}
	}
	if errors.Is(err, gethcore.ErrStaleProposal) {
		if canonical := d.cfg.Chain.GetHeaderByNumber(block.NumberU64()); canonical != nil {
			if canonical.Hash() != block.Hash() {
				d.Violation(fmt.Sprintf("safety violation: block %d is %v here, but a quorum has also sealed %v", block.NumberU64(), canonical.Hash(), block.Hash()))
			}
			return
		}
		_, err = d.cfg.Chain.InsertChain(types.Blocks{block})
	}
	if err != nil {
		d.Halt(fmt.Sprintf("block %d [%v], sealed by a quorum, cannot be written: %v", block.NumberU64(), block.Hash(), err))
		return
	}
	committedMeter.Mark(1)
	own := block.Coinbase() == d.address
	if own {
		proposedMeter.Mark(1)
	}
	log.Info("Committed block", "number", block.NumberU64(), "hash", block.Hash(), "round", round, "txs", len(block.Transactions()),
		"gas", block.GasUsed(), "proposer", block.Coinbase(), "own", own)
	d.cfg.Network.Announce(block)
}

// schedule plans the candidate of a view if this node is its proposer (spec wbft 6.1).
func (d *Driver) schedule(ctx context.Context, e core.Build) {
	if d.cancelBuild != nil {
		d.cancelBuild()
		d.cancelBuild = nil
	}
	number := d.head.Number.Uint64() + 1
	if e.Sequence != number || !e.Proposer {
		return
	}
	config := d.cfg.Engine.config.WBFTAt(number)
	buildCtx, cancel := context.WithCancel(ctx)
	d.cancelBuild = cancel
	// In round 0 building waits for the block's time, so that late seals of the parent can be collected.
	var at time.Time
	if e.Round == 0 {
		at = time.Unix(int64(d.head.Time+config.BlockPeriodSeconds), 0)
		if dev := time.Unix(int64(d.head.Time), 0).Add(d.cfg.DevPeriod); dev.After(at) {
			at = dev
		}
	}
	parent := d.head
	d.work(func() {
		if d.cfg.OnDemand {
			if d.cfg.Builder.WaitWork(buildCtx) != nil {
				return
			}
		} else if !sleepUntil(buildCtx, at) {
			return
		}
		post(buildCtx, d.due, buildTask{buildCtx, parent, e.Round, config.BlockPeriodSeconds})
	})
}

// buildTask is a candidate whose time has come.
type buildTask struct {
	ctx    context.Context
	parent *types.Header
	round  uint64
	period uint64 // seconds
}

// startBuild gathers the late seals and builds the candidate in the background.
func (d *Driver) startBuild(ctx context.Context, task buildTask) {
	if d.head == nil || task.parent.Hash() != d.head.Hash() || task.ctx.Err() != nil {
		return
	}
	round, digest, prepared, committed := d.core.LateSeals()
	d.cfg.Engine.SetLateSeals(&LateSeals{Parent: digest, Round: round, Prepared: prepared, Committed: committed})
	d.work(func() {
		start := time.Now()
		timestamp := max(task.parent.Time+task.period, uint64(start.Unix()))
		executed, err := d.cfg.Builder.Build(task.ctx, task.parent, d.address, timestamp)
		buildTimer.UpdateSince(start)
		post(ctx, d.built, candidate{task.parent.Hash(), task.round, executed, err})
	})
}

// sleepUntil waits for a moment; it reports false when ctx ended first.
func sleepUntil(ctx context.Context, at time.Time) bool {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
