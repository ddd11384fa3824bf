// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"context"
	"errors"
	"fmt"
	"time"

	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"

	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/evidence"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/recording"
	"gwon/consensus/wbft/signing"
	"gwon/consensus/wbft/validators"
	"gwon/consensus/wbft/votelog"
	"gwon/core/rules"
	"gwon/internal/bucket"
)

var (
	sequenceGauge  = metrics.NewRegisteredGauge("wbft/sequence", nil)
	roundGauge     = metrics.NewRegisteredGauge("wbft/round", nil)
	violationGauge = metrics.NewRegisteredGauge("gwon/safety/violations", nil)
	haltedGauge    = metrics.NewRegisteredGauge("wbft/halted", nil)
	// validators that this one has not heard for some blocks
	silentGauge      = metrics.NewRegisteredGauge("wbft/silent", nil)
	probationGauge   = metrics.NewRegisteredGauge("wbft/probation", nil)
	mutedGauge       = metrics.NewRegisteredGauge("wbft/muted", nil)
	proposedMeter    = metrics.NewRegisteredMeter("wbft/blocks/proposed", nil)
	committedMeter   = metrics.NewRegisteredMeter("wbft/blocks/committed", nil)
	refusedMeter     = metrics.NewRegisteredMeter("wbft/proposals/refused", nil)
	canceledMeter    = metrics.NewRegisteredMeter("wbft/proposals/canceled", nil)
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
func (r *run) persist(effects []core.Effect) error {
	if r.voteLog == nil {
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
	if err := r.voteLog.Write(records, locks); err != nil {
		return fmt.Errorf("votes could not be made durable, so they were not sent; mend the disk, then restart: %w", err)
	}
	persistTimer.UpdateSince(start)
	return nil
}

// isOwnMessage reports whether an effect sends a message of this key. The core repeats its messages.
func isOwnMessage(effect core.Effect) bool {
	_, ok := effect.(core.Send)
	return ok
}

// perform carries out one effect. It returns an error when the validator must not go on.
func (r *run) perform(effect core.Effect) error {
	switch e := effect.(type) {
	case core.Persist, core.PersistLock: // done before
	case core.Note: // for those that watch
	case core.Send:
		r.cfg.Network.Send(r.set.Addresses(), e.Code, e.Payload, e.To, e.Force)
	case core.Relay:
		r.driver.inbox.refund(e.Relayer)
		if e.To == nil {
			r.deferRelay(e)
			break
		}
		r.cfg.Network.Relay(e.To, e.Code, e.Payload)
	case core.SetTimer:
		r.setTimer(e)
	case core.Execute:
		r.examine(e.Block)
	case core.Cancel:
		r.cancelExamination(e.Hash)
	case core.Build:
		r.plan(e)
	case core.Commit:
		executed, set := r.executedOf(e.Block.Hash()), r.set
		r.settling = true
		r.work(func() {
			start := time.Now()
			number := r.commit(e, executed, set)
			end := recording.Committed{
				Number: e.Block.NumberU64(), Hash: e.Block.Hash(), OK: number != 0, Took: time.Since(start),
			}
			post(r.ctx, r.jobsInPause, func() {
				r.core.Committed(end)
				r.onSettled(number, nil)
			})
		})
	case core.Misbehavior:
		misbehaviorMeter.Mark(1)
		if !r.keepContradiction(e) {
			r.driver.misbehaved.write(time.Now(), "Validator misbehavior", e.Evidence, "kind", r.because(string(e.Kind)),
				"signer", e.Author)
		}
	case core.ForgottenCommit:
		r.keepEvidence(evidence.ForgottenCommit, e.Author, e.Evidence, e.Headers)
	case core.BadDelivery:
		badDeliveryMeter.Mark(1)
		if now := time.Now(); now.Sub(r.blamed[e.From]) < time.Minute {
			break
		} else if len(r.blamed) < validators.MaxSize {
			r.blamed[e.From] = now
		}
		r.driver.refused.write(time.Now(), "Useless message refused", nil,
			"from", e.From, "reason", r.because(e.Reason))
	case core.Disconnect:
		r.cfg.Network.Drop(e.Peer, e.Reason)
	case core.StopSigning:
		r.mute(e)
	case core.Probation:
		log.Warn("Validator put on probation", "validator", e.Validator, "until", e.Until,
			"reason", r.because("its proposal was refused by its execution"))
	case core.PresenceChange:
		if e.Unresponsive {
			log.Warn("Validator found unresponsive", "validator", e.Validator,
				"lastHeard", e.LastHeard)
		} else {
			log.Info("Validator heard again", "validator", e.Validator, "number", e.LastHeard)
		}
	case core.Failed:
		if errors.Is(e.Err, signing.ErrAway) {
			log.Debug("Message not signed", "err", e.Err) // the key tells once that it is away
			break
		}
		log.Error("Consensus step failed", "err", e.Err)
	case core.Dropped:
		droppedMeter.Mark(1)
		log.Trace("Consensus message dropped", "reason", e.Reason)
	default:
		return fmt.Errorf("unknown effect %T", effect)
	}
	return nil
}

// deferRelay keeps a relay for about core.RelayDelay, in two steps of half that length.
func (r *run) deferRelay(e core.Relay) {
	if len(r.fresh)+len(r.old) == 0 {
		r.tickLater()
	}
	r.fresh = append(r.fresh, e)
}

func (r *run) tickLater() {
	time.AfterFunc(core.RelayDelay/2, func() { post(r.ctx, r.jobsInPause, r.relayOld) })
}

// relayOld sends the deferred relays of the tick before that are still needed.
func (r *run) relayOld() {
	due := r.old
	r.old, r.fresh = r.fresh, nil
	if len(r.old) > 0 {
		r.tickLater()
	}
	for _, e := range r.core.StillNeeded(due) {
		r.relay(e)
	}
}

// relay relays a message unless its author, which chooses how many there are, has used up its part of the links.
func (r *run) relay(e core.Relay) {
	part := r.relayed[e.Author]
	if part == nil {
		part = new(bucket.Bucket)
		r.relayed[e.Author] = part
	}
	if part.Spend(messages.Relayed(len(e.Payload))) {
		r.cfg.Network.Relay(e.To, e.Code, e.Payload)
	}
}

// mute ends signing. The consensus is followed as before.
func (r *run) mute(e core.StopSigning) {
	if r.driver.muted.CompareAndSwap(nil, &e.Reason) {
		mutedGauge.Update(1)
		log.Error(MutedMessage, "reason", e.Reason, "evidence", describe(e.Evidence))
	}
}

// work runs f in a goroutine that Stop waits for.
func (r *run) work(f func()) {
	r.workers.Add(1)
	go func() {
		defer r.workers.Done()
		f()
	}()
}

// post hands f over to the goroutine of the driver, unless ctx ends.
func post(ctx context.Context, to chan<- func(), f func()) {
	select {
	case to <- f:
	case <-ctx.Done():
	}
}

func (r *run) setTimer(e core.SetTimer) {
	if old := r.timers[e.Kind]; old != nil {
		old.Stop()
	}
	r.timers[e.Kind] = time.AfterFunc(e.Delay, func() {
		if e.Kind == core.RoundTimer {
			timeoutMeter.Mark(1)
		}
		post(r.ctx, r.jobs, func() { r.step(core.Timeout{ID: e.ID}) })
	})
}

// commit writes a block that a quorum has sealed: the block executed here, with the seals. It returns the number of the
// block once it is on disk, else 0.
func (r *run) commit(e core.Commit, executed *gethcore.Executed, set *validators.Set) uint64 {
	sealed := e.Block
	number, hash := sealed.NumberU64(), sealed.Hash()
	var err error
	if executed == nil {
		// The execution was evicted by newer ones, as the block is of a much earlier round.
		if executed, err = r.cfg.Chain.ExecuteProposal(context.WithoutCancel(r.ctx), sealed); err != nil &&
			!errors.Is(err, gethcore.ErrStaleProposal) {
			log.Error("Decided block not executed", "number", number, "hash", hash, "remedy", "it is fetched from peers",
				"err", err)
			return 0
		}
	}
	var block *types.Block
	if err == nil {
		block = executed.Block().WithSeal(sealed.Header())
		if err = r.cfg.Engine.checkSize(block, rules.SizeWith(executed.Block(), sealed.Header())); err == nil {
			err = r.cfg.Chain.CommitExecuted(block, executed)
		}
	}
	switch {
	case errors.Is(err, ErrHeld), errors.Is(err, ErrOversized):
		log.Warn("Decided block not committed", "number", number, "hash", hash, "bytes", uint64(block.Size()), "reason", err)
		return 0
	case errors.Is(err, gethcore.ErrStaleProposal):
		canonical := r.cfg.Chain.GetHeaderByNumber(number)
		if canonical != nil && canonical.Hash() != hash {
			r.driver.Violation(
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
		r.driver.Halt(fmt.Sprintf("block %d [%v], sealed by a quorum, cannot be written: %v", number, hash, err))
		return 0
	}
	committedMeter.Mark(1)
	header := block.Header()
	if x, err := header.WBFTExtra(); err == nil {
		// Made from votes that were verified. The child carries them too unless more came late, and so do copies of the block
		// that peers announce.
		r.cfg.Engine.remember(ownSeals(header, x, set))
	}
	own := block.Coinbase() == r.driver.address
	if own {
		proposedMeter.Mark(1)
	}
	log.Info("Block committed", append(BlockKeys(r.cfg.Chain, block, set, time.Now()), "own", own)...)
	r.cfg.Network.Broadcast(block, e.Holders)
	return number
}
