// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/event"
	"github.com/ethereum/go-ethereum/log"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/evidence"
	"gwon/consensus/wbft/recording"
	"gwon/consensus/wbft/signing"
	"gwon/consensus/wbft/validators"
	"gwon/consensus/wbft/votelog"
	"gwon/internal/bucket"
	"gwon/internal/feed"
)

const (
	// heldExecutions bounds the executed blocks of one sequence, each with its state, that are kept for their commit.
	// A decided block that is not among them is executed again.
	heldExecutions = 8

	defaultMaxTimeout = 10 * time.Second // cap of the round timeout where the network sets none
	localRetry        = time.Second      // the same after a local error

	mutedReminder = time.Minute
)

// run is the driver from one start to its stop: the goroutine, the core and all that they own. Every start makes
// another run, and no function of one run reaches another.
type run struct {
	driver *Driver // has what survives the stop
	cfg    *DriverConfig

	core     *recording.Tape
	voteLog  votelog.Votes      // nil for chains in memory only
	recorder *evidence.Recorder // nil without a store

	ctx        context.Context // ends with the run
	cancel     context.CancelFunc
	done       chan struct{} // closed when the goroutine has ended
	workers    sync.WaitGroup
	compacting atomic.Bool // a compaction of the vote log is under way

	// Functions for the goroutine. Those that lead to a step of the core wait for the end of a pause, as a verdict does.
	// The end of a commit does not wait: it only notes what is on disk, and the core moves to no head during a pause.
	jobs        chan func()
	jobsInPause chan func()

	// Owned by the goroutine.
	head       *types.Header // parent of the sequence in progress
	set        *validators.Set
	durable    uint64                           // every block up to this number is on disk
	settling   bool                             // blocks are being written to the disk, by a commit or by settle
	searched   uint64                           // own seals were compared with the vote log up to this block
	executed   []*gethcore.Executed             // of this sequence, oldest first; at most heldExecutions
	validating map[common.Hash]*examination     // proposals under examination
	calls      map[common.Address]*vm.LongCalls // of the blocks of each proposer
	timers     map[core.TimerKind]*time.Timer
	fresh, old []core.Relay                      // deferred since the last tick, and before
	relayed    map[common.Address]*bucket.Bucket // deferred relays that were sent, by author
	candidate  *candidate                        // of the view in progress; nil where another validator proposes
	paused     bool
	blamed     map[common.Address]time.Time // reported deliverers, by time of the log line
}

// newRun returns a run that has not begun.
func newRun(d *Driver) *run {
	key := *d.cfg.Engine.key.Load()
	r := &run{
		driver: d,
		cfg:    &d.cfg,
		core: recording.NewTape(core.Config{
			Address:           key.Address(),
			Sign:              key.Sign,
			DefaultMaxTimeout: defaultMaxTimeout,
			Strict:            d.cfg.Strict,
		}, d.cfg.Recorder),
		done:        make(chan struct{}),
		jobs:        make(chan func()),
		jobsInPause: make(chan func()),
		validating:  make(map[common.Hash]*examination),
		calls:       make(map[common.Address]*vm.LongCalls),
		timers:      make(map[core.TimerKind]*time.Timer),
		blamed:      make(map[common.Address]time.Time),
		relayed:     make(map[common.Address]*bucket.Bucket),
	}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	return r
}

// open opens the vote log, which is not left open after an error.
func (r *run) open() error {
	if r.cfg.VoteLogDir != "" {
		if err := r.openVoteLog(); err != nil {
			r.close()
			return err
		}
	}
	return nil
}

// openVoteLog opens the vote log and restores votes and locks in the core.
func (r *run) openVoteLog() error {
	voteLog, err := r.votesOf(votelog.Owner{
		Validator: r.driver.address,
		Genesis:   r.cfg.Chain.Genesis().Hash(),
		ChainID:   r.cfg.Engine.config.ChainID.Uint64(),
	})
	if err != nil {
		return err
	}
	r.voteLog = voteLog
	if torn := voteLog.Torn(); torn > 0 {
		log.Warn("Unfinished vote log record removed", "bytes", torn)
	}
	// A killed process may have left blocks that are not on disk. The head is read first, so that the flush covers it.
	head := r.cfg.Chain.CurrentBlock()
	if err := r.cfg.Chain.SyncBlocks(); err != nil {
		return err
	}
	if err := r.restore(head); err != nil {
		return err
	}
	r.durable = head.Number.Uint64()
	r.prune()
	return nil
}

// votesOf opens the vote log of an owner: that of the keeper of the key, or else the file in the directory.
func (r *run) votesOf(owner votelog.Owner) (votelog.Votes, error) {
	if keeper := r.driver.keeper(); keeper != nil {
		return keeper.OpenVotes(owner)
	}
	if err := r.cfg.Disk.MakeDirectory(r.cfg.VoteLogDir); err != nil {
		return nil, fmt.Errorf("directory of the vote log: %w", err)
	}
	return votelog.OpenOn(r.cfg.Disk, filepath.Join(r.cfg.VoteLogDir, VoteLogFile), owner)
}

// prune drops the votes of sequences that were decided long ago, and compacts a wasteful vote log.
func (r *run) prune() {
	if r.voteLog == nil || r.durable <= signing.KeptSequences {
		return
	}
	r.voteLog.Prune(r.durable - signing.KeptSequences)
	if r.voteLog.Wasteful() && r.compacting.CompareAndSwap(false, true) {
		r.compact()
	}
}

// compact makes the vote log smaller in the background, since a compaction may outlast a block. A failed compaction is
// logged; votes continue in the old file.
func (r *run) compact() {
	compact := func() {
		defer r.compacting.Store(false)
		if err := r.voteLog.Compact(); err != nil {
			log.Error("Vote log not compacted", "err", err)
		}
	}
	if r.cfg.InlineUpkeep {
		compact()
		return
	}
	r.work(compact)
}

// begin starts the goroutines of an open run.
func (r *run) begin() {
	r.core.Begin(recording.Identity{
		Genesis: r.cfg.Chain.Genesis().Hash(), ChainID: r.cfg.Engine.config.ChainID.Uint64(),
		Validator: r.driver.address, MaxTimeout: defaultMaxTimeout, Strict: r.cfg.Strict,
	})
	reports, lastReport := context.WithCancel(context.WithoutCancel(r.ctx))
	if r.cfg.Evidence != nil {
		r.recorder = evidence.NewRecorder(r.cfg.Evidence)
		r.work(func() { r.recorder.Run(reports) })
	}
	// Commits of the goroutine that reads the heads make events themselves.
	heads, sub := feed.Relay(r.cfg.Chain.SubscribeChainHeadEvent, 1)
	go func() {
		defer r.cancel()   // a halt cancels the work under way
		defer lastReport() // the last step may wait for a signer, and reports after the run was canceled
		r.loop(heads, sub)
	}()
}

// end stops the goroutines, waits for them, and closes the vote log and the key.
func (r *run) end() {
	r.cancel()
	<-r.done
	r.workers.Wait()
	r.core.End()
	r.close()
}

// close closes the vote log.
func (r *run) close() {
	if r.voteLog != nil {
		if err := r.voteLog.Close(); err != nil {
			log.Error("Vote log not closed", "err", err)
		}
	}
}

// pause stops or resumes building and voting.
func (r *run) pause(paused bool) {
	if r.paused == paused {
		return
	}
	r.paused = paused
	if paused {
		r.candidate.abandon()
	} else {
		r.newHead(true)
	}
}

// loop is the goroutine of the run. It ends with the run, a halt, or the subscription, which ends only when the chain
// is closed.
func (r *run) loop(heads <-chan gethcore.ChainHeadEvent, sub event.Subscription) {
	defer close(r.done)
	defer sub.Unsubscribe()
	defer func() {
		for _, t := range r.timers {
			t.Stop()
		}
		r.candidate.abandon()
		r.cfg.Engine.SetLateSeals(nil)
	}()
	reminder := time.Tick(mutedReminder)
	r.newHead(false)
	for {
		// A paused driver takes heads and jobs of a pause only. Everything else stays in its channel.
		inbox, connected, jobs := r.driver.inbox.ready, r.driver.connected, r.jobs
		if r.paused {
			inbox, connected, jobs = nil, nil, nil
		}
		select {
		case <-r.ctx.Done():
			return
		case <-r.driver.halting:
			return
		case err := <-sub.Err():
			log.Error("Validator ended", "reason", "the chain is closed", "err", err) // a node stops its driver before
			return
		case <-heads:
			r.newHead(false)
		case f := <-r.jobsInPause:
			f()
		case f := <-jobs:
			f()
		case <-inbox:
			if m, ok := r.driver.inbox.take(); ok {
				r.driver.inbox.charge(m.From, r.step(m))
			}
		case ev := <-connected:
			r.step(ev)
		case <-reminder:
			if reason := r.driver.muted.Load(); reason != nil {
				log.Error(MutedMessage, "reason", *reason)
			}
			if w := r.driver.waiting.Load(); w != nil {
				w.log()
			}
		}
	}
}

// newHead moves the core to the current head of the chain. With repeat an unchanged head is fed once more, so that the
// core repeats its requests.
//
// The core moves only to a head on disk. Votes for the next block are durable. After a power loss of all validators
// they would otherwise bind to a block whose parent is lost (spec wbft 5.10).
func (r *run) newHead(repeat bool) {
	head := r.cfg.Chain.CurrentBlock()
	unchanged := r.head != nil && r.head.Hash() == head.Hash()
	if r.paused || r.driver.halted.Load() != nil || unchanged && !repeat {
		return
	}
	number := head.Number.Uint64()
	if number < r.durable {
		r.durable = 0 // the chain was set back: new blocks have to be synced again
	}
	if number > r.durable {
		r.settle(number)
		return
	}
	set, err := r.cfg.Engine.ValidatorsAfter(r.cfg.Chain, head)
	if err != nil {
		r.driver.Halt(fmt.Sprintf("the validator set of block %d cannot be read: %v", number+1, err))
		return
	}
	params := paramsOf(r.cfg.Engine.config.WBFTAt(number + 1))
	if !unchanged {
		if err := r.beginSequence(head, set, params.BlockPeriod); err != nil {
			r.driver.Halt(err.Error())
			return
		}
	}
	r.step(core.NewHead{Head: core.Head{Header: head, Set: set, Params: params}})
	r.noteWaiting()
}

// paramsOf returns the settings of a sequence for the core.
func paramsOf(config gethparams.WBFTConfig) core.Params {
	params := core.Params{
		BlockPeriod:    time.Duration(config.BlockPeriodSeconds) * time.Second,
		RequestTimeout: time.Duration(config.RequestTimeoutSeconds) * time.Second,
		Policy:         *config.ProposerPolicy,
	}
	if config.MaxRequestTimeoutSeconds != nil {
		params.MaxRequestTimeout = time.Duration(*config.MaxRequestTimeoutSeconds) * time.Second
	}
	return params
}

// beginSequence prepares the driver for the sequence after a head. The error says that the vote log failed.
func (r *run) beginSequence(head *types.Header, set *validators.Set, period time.Duration) error {
	r.driver.buildPace.decided(head.Number.Uint64(), time.Now(), head.Coinbase == r.driver.address)
	r.head, r.set = head, set
	r.driver.inbox.setMembers(set)
	// The zero address stands for all deliverers outside the set.
	maps.DeleteFunc(r.blamed,
		func(a common.Address, _ time.Time) bool { return a != (common.Address{}) && !set.Contains(a) })
	r.executed = nil
	maps.DeleteFunc(r.calls, func(a common.Address, _ *vm.LongCalls) bool { return !set.Contains(a) })
	maps.DeleteFunc(r.relayed, func(a common.Address, _ *bucket.Bucket) bool { return !set.Contains(a) })
	if r.voteLog != nil {
		if err := r.searchLost(head); err != nil {
			return fmt.Errorf("the vote log cannot be written: %w", err)
		}
	}
	r.prune()
	r.awaitLate(head, period)
	return nil
}

// settle flushes the chain up to a block to disk, in the background. A commit under way does the same: perform sets
// settling for it.
func (r *run) settle(number uint64) {
	if r.settling {
		return
	}
	r.settling = true
	r.work(func() {
		start := time.Now()
		err := r.cfg.Chain.SyncBlocks()
		syncTimer.UpdateSince(start)
		post(r.ctx, r.jobsInPause, func() { r.onSettled(number, err) })
	})
}

// onSettled takes the result of settle or of a commit, and moves to the head. Every block up to number is on disk; 0
// adds none. An error is one of the disk: a node closes its database after its driver has stopped.
func (r *run) onSettled(number uint64, err error) {
	r.settling = false
	if err != nil {
		r.driver.Halt(err.Error())
		return
	}
	r.durable = max(r.durable, number)
	r.newHead(false)
}

// step feeds one event to the core, makes votes and locks durable, and carries out the effects in order. cost is the
// time in the core.
func (r *run) step(ev core.Event) (cost time.Duration) {
	if r.driver.halted.Load() != nil {
		return 0
	}
	// A known verdict is fed back at once, so that one durable write covers everything that follows from the event.
	var effects []core.Effect
	for pending := []core.Event{ev}; len(pending) > 0; pending = pending[1:] {
		start := time.Now()
		out := r.core.Step(start, pending[0])
		cost += time.Since(start)
		if r.cfg.Observe != nil {
			r.cfg.Observe(pending[0], out)
		}
		for _, effect := range out {
			if dropped, ok := effect.(core.Dropped); ok {
				if message, ok := pending[0].(core.Message); ok {
					r.noteDropped(message, dropped)
				}
			}
			if e, ok := effect.(core.Execute); ok {
				if r.executedOf(e.Block.Hash()) != nil {
					pending = append(pending, core.Validated{Hash: e.Block.Hash()})
					continue
				}
			}
			effects = append(effects, effect)
		}
	}
	switch err := r.persist(effects); {
	case errors.Is(err, signing.ErrAway):
		effects = slices.DeleteFunc(effects, isOwnMessage) // they rest on a lock that is not durable
	case err != nil:
		r.driver.Halt(err.Error())
		return cost
	}
	for _, effect := range effects {
		if r.driver.halted.Load() != nil {
			return cost
		}
		if err := r.perform(effect); err != nil {
			r.driver.Halt(err.Error())
			return cost
		}
	}
	status := r.core.Status()
	r.driver.status.Store(&status)
	silentGauge.Update(int64(len(status.Unresponsive)))
	probationGauge.Update(int64(len(status.Probation)))
	sequenceGauge.Update(int64(status.Sequence))
	roundGauge.Update(int64(status.Round))
	return cost
}
