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
	"gwon/consensus/wbft/evidence"
	"gwon/consensus/wbft/validators"
	"gwon/consensus/wbft/votelog"
)

var (
	sequenceGauge  = metrics.NewRegisteredGauge("wbft/sequence", nil)
	roundGauge     = metrics.NewRegisteredGauge("wbft/round", nil)
	violationGauge = metrics.NewRegisteredGauge("gwon/safety/violations", nil)
	haltedGauge    = metrics.NewRegisteredGauge("wbft/halted", nil)
	// validators that this one has not heard for some blocks
	silentGauge      = metrics.NewRegisteredGauge("wbft/silent", nil)
	mutedGauge       = metrics.NewRegisteredGauge("wbft/muted", nil)
	proposedMeter    = metrics.NewRegisteredMeter("wbft/blocks/proposed", nil)
	committedMeter   = metrics.NewRegisteredMeter("wbft/blocks/committed", nil)
	refusedMeter     = metrics.NewRegisteredMeter("wbft/proposals/refused", nil)
	misbehaviorMeter = metrics.NewRegisteredMeter("wbft/misbehavior", nil)
	badDeliveryMeter = metrics.NewRegisteredMeter("wbft/deliveries/refused", nil)
	droppedMeter     = metrics.NewRegisteredMeter("wbft/messages/dropped", nil)
	executeTimer     = metrics.NewRegisteredTimer("wbft/execute", nil)
	timeoutMeter     = metrics.NewRegisteredMeter("wbft/timeouts", nil) // round timers that ended
	buildTimer       = metrics.NewRegisteredTimer("wbft/build", nil)
	persistTimer     = metrics.NewRegisteredTimer("wbft/persist", nil)
	syncTimer        = metrics.NewRegisteredTimer("wbft/sync", nil)
)

// persist makes votes and locks of the effects durable in one write. It precedes all effects.
func (d *Driver) persist(effects []core.Effect) error {
	if d.voteLog == nil {
		return nil
	}
	var records []votelog.Record
	var locks []votelog.Lock
	for _, effect := range effects {
		switch e := effect.(type) {
		case core.Persist:
			records = append(records, votelog.Record(e.Vote))
		case core.PersistLock:
			locks = append(locks, votelog.Lock(e))
		}
	}
	if len(records)+len(locks) == 0 {
		return nil
	}
	start := time.Now()
	if err := d.voteLog.Write(records, locks); err != nil {
		return fmt.Errorf("votes could not be made durable, so they were not sent; mend the disk, then restart: %w", err)
	}
	persistTimer.UpdateSince(start)
	return nil
}

// perform carries out one effect. It returns an error when the validator must not go on.
func (d *Driver) perform(ctx context.Context, effect core.Effect) error {
	switch e := effect.(type) {
	case core.Persist, core.PersistLock: // done before
	case core.Send:
		d.cfg.Network.Send(d.set.Addresses(), e.Code, e.Payload, e.To, e.Force)
	case core.Relay:
		if e.To == nil {
			d.putOff(ctx, e)
			break
		}
		d.cfg.Network.Relay(e.To, e.Code, e.Payload)
	case core.SetTimer:
		d.setTimer(ctx, e)
	case core.Execute:
		d.examine(ctx, e.Block)
	case core.Build:
		d.schedule(ctx, e)
	case core.Commit:
		executed := d.executed[e.Block.Hash()]
		d.settling = true
		set := d.set
		d.work(func() { post(ctx, d.settled, settlement{number: d.commit(ctx, e, executed, set)}) })
	case core.Misbehavior:
		misbehaviorMeter.Mark(1)
		if !d.keepContradiction(e) {
			d.misbehaved.write(time.Now(), "Validator misbehavior", e.Evidence, "kind", e.Kind, "signer", e.Signer)
		}
	case core.ForgottenCommit:
		d.keepEvidence(evidence.ForgottenCommit, e.Signer, e.Evidence, e.Headers)
	case core.BadDelivery:
		badDeliveryMeter.Mark(1)
		if now := time.Now(); now.Sub(d.blamed[e.From]) < time.Minute {
			break
		} else if len(d.blamed) < validators.MaxSize {
			d.blamed[e.From] = now
		}
		d.refused.write(time.Now(), "Useless message refused", nil,
			"from", e.From, "reason", e.Reason)
	case core.Disconnect:
		d.cfg.Network.Drop(e.Peer, e.Reason)
	case core.StopSigning:
		d.mute(e)
	case core.PresenceChange:
		if e.Unresponsive {
			log.Warn("Validator found unresponsive", "validator", e.Validator,
				"lastHeard", e.LastHeard)
		} else {
			log.Info("Validator heard again", "validator", e.Validator, "number", e.LastHeard)
		}
	case core.Failed:
		log.Error("Consensus step failed", "err", e.Err)
	case core.Dropped:
		droppedMeter.Mark(1)
		log.Trace("Consensus message dropped", "reason", e.Reason)
	default:
		return fmt.Errorf("unknown effect %T", effect)
	}
	return nil
}

// putOff keeps a relay for about core.RelayDelay, in two steps of half that length.
func (d *Driver) putOff(ctx context.Context, e core.Relay) {
	if len(d.fresh)+len(d.old) == 0 {
		d.tickLater(ctx)
	}
	d.fresh = append(d.fresh, e)
}

func (d *Driver) tickLater(ctx context.Context) {
	time.AfterFunc(core.RelayDelay/2, func() { post(ctx, d.tick, struct{}{}) })
}

// relayOld sends the deferred relays of the tick before that are still needed.
func (d *Driver) relayOld(ctx context.Context) {
	due := d.old
	d.old, d.fresh = d.fresh, nil
	if len(d.old) > 0 {
		d.tickLater(ctx)
	}
	for _, e := range d.core.StillNeeded(due) {
		d.cfg.Network.Relay(e.To, e.Code, e.Payload)
	}
}

// mute ends signing. The consensus is followed as before.
func (d *Driver) mute(e core.StopSigning) {
	if d.muted.CompareAndSwap(nil, &e.Reason) {
		mutedGauge.Update(1)
		log.Error(MutedMessage, "reason", e.Reason, "evidence", describe(e.Evidence))
	}
}

// work runs f in a goroutine that Stop waits for.
func (d *Driver) work(f func()) {
	d.workers.Add(1)
	go func() {
		defer d.workers.Done()
		f()
	}()
}

// post sends a value unless ctx ends.
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
	d.timers[e.Kind] = time.AfterFunc(e.Delay, func() {
		if e.Kind == core.RoundTimer {
			timeoutMeter.Mark(1)
		}
		post(ctx, d.fired, e.ID)
	})
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
		post(ctx, d.validated, v)
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

// commit writes a block that a quorum has sealed: the block executed here, with the seals. It returns the number of the
// block once it is on disk, else 0.
func (d *Driver) commit(ctx context.Context, e core.Commit, executed *gethcore.Executed, set *validators.Set) uint64 {
	sealed := e.Block
	number, hash := sealed.NumberU64(), sealed.Hash()
	var err error
	if executed == nil {
		// The execution was evicted by newer ones, as the block is of a much earlier round.
		if executed, err = d.cfg.Chain.ExecuteProposal(context.WithoutCancel(ctx), sealed); err != nil &&
			!errors.Is(err, gethcore.ErrStaleProposal) {
			log.Error("Decided block not executed", "number", number, "hash", hash, "remedy", "it is fetched from peers",
				"err", err)
			return 0
		}
	}
	var block *types.Block
	if err == nil {
		block = executed.Block().WithSeal(sealed.Header())
		err = d.cfg.Chain.CommitExecuted(block, executed)
	}
	switch {
	case errors.Is(err, gethcore.ErrStaleProposal):
		canonical := d.cfg.Chain.GetHeaderByNumber(number)
		if canonical != nil && canonical.Hash() != hash {
			d.Violation(
				fmt.Sprintf("safety violation: block %d is %v here, but a quorum has also sealed %v", number, canonical.Hash(),
					hash),
			)
		} else if canonical == nil {
			log.Error("Decided block not committed", "number", number, "hash", hash,
				"reason", "the chain was set back below its parent", "remedy", "it is fetched from peers")
		}
		return 0
	case errors.Is(err, gethcore.ErrChainStopped):
		log.Warn("Decided block not written", "number", number, "hash", hash, "reason", "the chain is closed")
		return 0
	case err != nil:
		d.Halt(fmt.Sprintf("block %d [%v], sealed by a quorum, cannot be written: %v", number, hash, err))
		return 0
	}
	committedMeter.Mark(1)
	header := block.Header()
	if x, err := header.WBFTExtra(); err == nil {
		// Made from votes that were verified. The child carries them too unless more came late, and so do copies of the block
		// that peers announce.
		d.cfg.Engine.remember(ownSeals(header, x, set))
	}
	own := block.Coinbase() == d.address
	if own {
		proposedMeter.Mark(1)
	}
	log.Info("Block committed", "number", number, "hash", hash, "round", e.Round, "txs", len(block.Transactions()),
		"gas", block.GasUsed(), "proposer", block.Coinbase(), "own", own)
	d.cfg.Network.Announce(block, e.Holders)
	return number
}

// BlockTime returns the time at which the child of a head is due in round 0 (spec wbft 6.1). headTime and period are in
// seconds.
func BlockTime(headTime, period uint64) time.Time { return time.Unix(int64(headTime+period), 0) }

// schedule plans the candidate of a view whose proposer is this node (spec wbft 6.1).
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
	// In round 0 building ends just at the block's time, so that late seals and the newest transactions are included.
	var at time.Time
	if e.Round == 0 {
		at = BlockTime(d.head.Time, config.BlockPeriodSeconds)
	}
	d.await(buildTask{buildCtx, d.head, e.Round, time.Duration(config.BlockPeriodSeconds) * time.Second, at})
}

// await starts building at the latest time at which the candidate is ready when due.
func (d *Driver) await(task buildTask) {
	at := task.at.Add(-d.pace.lead(task.period))
	d.work(func() {
		if d.sleepUntil(task.ctx, at) {
			post(task.ctx, d.due, task)
		}
	})
}

// buildTask is a candidate whose time has come.
type buildTask struct {
	ctx    context.Context
	parent *types.Header
	round  uint64
	period time.Duration
	at     time.Time // when the candidate is wanted
}

// awaitLate has the late seals of a head gathered in the quiet part of the period: they are there some round trips
// after the decision, and the next proposal carries them. There is no such part left when the block was decided late.
func (d *Driver) awaitLate(ctx context.Context, head *types.Header, period time.Duration) {
	start, now := time.Unix(int64(head.Time), 0), d.cfg.Engine.now()
	at := start.Add(period / 2)
	if soon := now.Add(period / 8); soon.After(at) {
		at = soon
	}
	if at.Before(start.Add(period * 7 / 8)) {
		d.work(func() {
			if d.sleepUntil(ctx, at) {
				post(ctx, d.calm, head)
			}
		})
	}
}

// gatherLate verifies the late seals of the head. Who proposes next does the same, and the others know the sum of seals
// in its proposal then: its pairings do not stand between the proposal and their votes. When it has others it is
// verified as ever.
func (d *Driver) gatherLate(head *types.Header) {
	if d.head == nil || d.head.Hash() != head.Hash() {
		return
	}
	late := d.lateSeals()
	if late.Prepared == nil && late.Committed == nil {
		return
	}
	d.cfg.Engine.SetLateSeals(late)
	if err := d.cfg.Engine.expectSeals(d.cfg.Chain, d.head); err != nil {
		log.Debug("Seals of the next proposal not summed in advance", "parent", head.Number, "err", err)
	}
}

// lateSeals verifies and returns the late seals over the block that the state machine takes for the head.
func (d *Driver) lateSeals() *LateSeals {
	round, digest, prepared, committed := d.core.LateSeals()
	return &LateSeals{Parent: digest, Round: round, Prepared: prepared, Committed: committed}
}

// startBuild gathers the late seals and builds the candidate in the background.
func (d *Driver) startBuild(ctx context.Context, task buildTask) {
	if d.head == nil || task.parent.Hash() != d.head.Hash() || task.ctx.Err() != nil {
		return
	}
	d.cfg.Engine.SetLateSeals(d.lateSeals())
	budget := d.pace.budget(task.period)
	buildBudgetGauge.Update(budget.Milliseconds())
	d.work(func() {
		start := time.Now()
		when := d.cfg.Engine.now()
		if task.at.After(when) {
			when = task.at
		}
		timestamp := max(task.parent.Time+uint64(task.period/time.Second), uint64(when.Unix()))
		limit, cancel := context.WithTimeout(task.ctx, budget)
		executed, err := d.cfg.Builder.Build(limit, task.parent, d.address, timestamp)
		cancel()
		buildTimer.UpdateSince(start)
		post(ctx, d.built, candidate{task, executed, err, time.Since(start)})
	})
}

// sleepUntil waits for a moment; it reports false when ctx ended first.
func (d *Driver) sleepUntil(ctx context.Context, at time.Time) bool {
	timer := time.NewTimer(at.Sub(d.cfg.Engine.now()))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
