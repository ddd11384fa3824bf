// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/event"
	"github.com/ethereum/go-ethereum/log"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/evidence"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/recording"
	"gwon/consensus/wbft/signing"
	"gwon/consensus/wbft/validators"
	"gwon/consensus/wbft/votelog"
	"gwon/internal/feed"
)

const (
	// heldExecutions bounds the executed blocks of one sequence, each with its state, that are kept for their commit.
	// A decided block that is not among them is executed again.
	heldExecutions = 8

	defaultMaxTimeout = 10 * time.Second       // cap of the round timeout where the network sets none
	staleRetry        = 100 * time.Millisecond // delay before a proposal is examined again while the head is moving
	localRetry        = time.Second            // the same after a local error

	// rememberedSequences is the number of decided sequences in the vote log. Their blocks are on disk. The margin keeps
	// the validator from contradicting itself even if the chain restarts below them.
	rememberedSequences = 16

	mutedReminder = time.Minute
)

// VoteLogFile is the name of the vote log in its directory.
const VoteLogFile = "votes.log"

// Log messages of a node that is halted, and of a validator that is muted.
const (
	HaltedMessage = "THIS NODE HAS STOPPED FOR SAFETY"
	MutedMessage  = "THIS VALIDATOR SIGNS NOTHING ANY MORE"
)

// Chain is the part of core.BlockChain that the driver uses.
type Chain interface {
	consensus.ChainHeaderReader

	Genesis() *types.Block
	CurrentBlock() *types.Header
	SubscribeChainHeadEvent(ch chan<- gethcore.ChainHeadEvent) event.Subscription
	// ExecuteProposal and CommitExecuted are those of core.BlockChain: executions run at the same time, and end with a
	// context of vm.WithCalls. CommitExecuted returns when the block is on disk.
	ExecuteProposal(ctx context.Context, block *types.Block) (*gethcore.Executed, error)
	CommitExecuted(sealed *types.Block, ex *gethcore.Executed) error
	// SyncBlocks returns when every block of the chain is on disk.
	SyncBlocks() error
}

// Network carries consensus messages. Its methods must not block.
type Network interface {
	// Send transmits an own message to the connected validators of the set, or to those of them in to. Force repeats the
	// message to peers that have received it.
	Send(set []common.Address, code uint64, payload []byte, to []common.Address, force bool)
	// Relay passes a message of another validator on to the validators of the set that are not known to have it.
	Relay(set []common.Address, code uint64, payload []byte)
	// Forget makes a dropped message welcome again, since its author may repeat it.
	Forget(payload []byte)
	// Drop ends the connections to a faulty validator, which may connect again.
	Drop(validator common.Address, reason string)
	// Announce spreads a block that this node committed. Holders need no announcement.
	Announce(block *types.Block, holders []common.Address)
}

// Builder makes candidates on top of a parent. When ctx ends, Build returns the candidate as far as it is.
type Builder interface {
	Build(ctx context.Context, parent *types.Header, coinbase common.Address, timestamp uint64) (*gethcore.Executed, error)
}

// DriverConfig is the configuration of a Driver.
type DriverConfig struct {
	Engine  *Engine
	Chain   Chain
	Network Network
	Builder Builder
	// Pooled finds transactions of the pool, so that their signers are not recovered again (ADR 0025). It may be nil.
	Pooled func(common.Hash) *types.Transaction
	// VoteLogDir is the directory of the vote log. Empty keeps none, for chains in memory only.
	VoteLogDir string
	// LockKey keeps other processes from validating with the key. It may be nil.
	LockKey KeyLock
	// SignFrom is the sequence from which the key signs in spite of lost votes; 0 for none.
	SignFrom uint64
	// Disk holds the vote log; nil for the file system of the operating system.
	Disk votelog.Disk
	// Evidence keeps contradictory messages of validators. It may be nil.
	Evidence *evidence.Store
	// Strict has the core do nothing that go-stablenet does not (core.Config.Strict).
	Strict bool
	// InlineUpkeep compacts the vote log and forgets large messages in the driver's goroutine, for repeatable simulations.
	InlineUpkeep bool
	// Recorder takes each call of the core; nil for none.
	Recorder *recording.Recorder
	// Observe sees each step before its effects are carried out. It may be nil.
	Observe func(core.Event, []core.Effect)
}

// KeyLock takes the only lock of this machine on a validator's key. Closing releases the lock.
type KeyLock func(validator common.Address, genesis common.Hash) (io.Closer, error)

// Driver is the goroutine that connects the core to clock, network, chain and block building. It feeds events to the
// core and carries out the effects in order.
type Driver struct {
	*run // nil while the driver is stopped

	cfg     DriverConfig
	address common.Address

	// These survive a stop on purpose. Messages that came meanwhile may be of the current view. An old PeerConnected only
	// repeats messages, and an old PeerLost shortens timeouts until its validator is heard.
	inbox     *inbox
	connected chan core.Event

	// Owned by the goroutine. These survive a stop too: measurements, and bounds on lines of the log.
	buildPace  *buildPace
	misbehaved reports // of validators
	refused    reports // deliveries of peers

	halted  atomic.Pointer[string]
	halting chan struct{} // closed with the first halt
	muted   atomic.Pointer[string]
	waiting atomic.Pointer[wait]
	status  atomic.Pointer[core.Status]

	mu sync.Mutex // guards start, stop and the pointer to the run
}

// run is what lives from a start of the driver to its stop. Every start makes another one.
type run struct {
	core     *recording.Tape
	voteLog  votelog.Votes      // nil for chains in memory only
	locked   io.Closer          // the key; nil without a lock
	recorder *evidence.Recorder // nil without a store

	cancel     context.CancelFunc
	done       chan struct{} // closed when the goroutine has ended
	workers    sync.WaitGroup
	compacting atomic.Bool // a compaction of the vote log is under way

	// Functions for the goroutine. Those that lead to a step of the core wait for the end of a pause, as a verdict does.
	// The end of a commit does not wait: it only notes what is on disk, and the core moves to no head during a pause.
	jobs        chan func(context.Context)
	jobsInPause chan func(context.Context)

	// Owned by the goroutine.
	head       *types.Header // parent of the sequence in progress
	set        *validators.Set
	durable    uint64 // every block up to this number is on disk
	settling   bool   // blocks are being written to the disk, by a commit or by settle
	searched   uint64 // own seals were compared with the vote log up to this block
	executed   map[common.Hash]*gethcore.Executed
	order      []common.Hash                    // of executed, oldest first
	validating map[common.Hash]*examination     // proposals under examination
	calls      map[common.Address]*vm.LongCalls // of the blocks of each proposer
	timers     map[core.TimerKind]*time.Timer
	fresh, old []core.Relay // deferred since the last tick, and before
	candidate  *candidate   // of the view in progress; nil where another validator proposes
	paused     bool
	blamed     map[common.Address]time.Time // reported deliverers, by time of the log line
	dropped    droppedMessages
}

// NewDriver returns a stopped driver. The engine must have a key (Engine.Authorize).
func NewDriver(cfg DriverConfig) (*Driver, error) {
	if cfg.Engine.key.Load() == nil {
		return nil, errNoKey
	}
	if cfg.Disk == nil {
		cfg.Disk = votelog.OS{}
	}
	return &Driver{
		cfg:       cfg,
		address:   (*cfg.Engine.key.Load()).Address(),
		inbox:     newInbox(),
		connected: make(chan core.Event, 256),
		halting:   make(chan struct{}),
		buildPace: newBuildPace(),
	}, nil
}

// Start opens the vote log and takes part in the consensus from the current head on. A running driver stays as it is.
// The error says why this validator must not sign.
func (d *Driver) Start() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.run != nil {
		return nil
	}
	if reason := d.halted.Load(); reason != nil {
		return fmt.Errorf("this validator has stopped for safety: %s", *reason)
	}
	if reason := d.muted.Load(); reason != nil {
		return fmt.Errorf("this validator signs nothing until the process is started again: %s", *reason)
	}
	d.run = newRun(*d.cfg.Engine.key.Load(), d.cfg.Strict, d.cfg.Recorder)
	d.waiting.Store(nil)
	waitingGauge.Update(0)
	if err := d.open(); err != nil {
		d.run = nil
		return err
	}
	d.core.Begin(recording.Identity{
		Genesis: d.cfg.Chain.Genesis().Hash(), ChainID: d.cfg.Engine.config.ChainID.Uint64(), Validator: d.address,
		MaxTimeout: defaultMaxTimeout, Strict: d.cfg.Strict,
	})
	ctx, cancel := context.WithCancel(context.Background())
	d.cancel = cancel
	if d.cfg.Evidence != nil {
		d.recorder = evidence.NewRecorder(d.cfg.Evidence)
		d.work(func() { d.recorder.Run(ctx) })
	}

	// Commits of the goroutine that reads the heads make events themselves.
	heads, sub := feed.Relay(d.cfg.Chain.SubscribeChainHeadEvent, 1)
	go func() {
		defer cancel() // a halt cancels the work under way
		d.loop(ctx, heads, sub)
	}()
	log.Info("Validator started", "address", d.address)
	return nil
}

// newRun returns a run at its begin.
func newRun(key Key, strict bool, recorder *recording.Recorder) *run {
	return &run{
		core: recording.NewTape(core.Config{
			Address:           key.Address(),
			Sign:              key.Sign,
			DefaultMaxTimeout: defaultMaxTimeout,
			Strict:            strict,
		}, recorder),
		done:        make(chan struct{}),
		jobs:        make(chan func(context.Context)),
		jobsInPause: make(chan func(context.Context)),
		executed:    make(map[common.Hash]*gethcore.Executed),
		validating:  make(map[common.Hash]*examination),
		calls:       make(map[common.Address]*vm.LongCalls),
		timers:      make(map[core.TimerKind]*time.Timer),
		blamed:      make(map[common.Address]time.Time),
	}
}

// open locks the key and opens the vote log. After an error neither is left open.
func (d *Driver) open() error {
	if d.cfg.LockKey != nil {
		locked, err := d.cfg.LockKey(d.address, d.cfg.Chain.Genesis().Hash())
		if err != nil {
			return err
		}
		d.locked = locked
	}
	if d.cfg.VoteLogDir != "" {
		if err := d.openVoteLog(); err != nil {
			return errors.Join(err, d.unlockKey())
		}
	}
	return nil
}

// openVoteLog opens the vote log and restores votes and locks in the core.
func (d *Driver) openVoteLog() error {
	owner := votelog.Owner{
		Validator: d.address,
		Genesis:   d.cfg.Chain.Genesis().Hash(),
		ChainID:   d.cfg.Engine.config.ChainID.Uint64(),
	}
	voteLog, err := d.votesOf(owner)
	if err != nil {
		return err
	}
	if torn := voteLog.Torn(); torn > 0 {
		log.Warn("Unfinished vote log record removed", "bytes", torn)
	}
	// A killed process may have left blocks that are not on disk. The head is read first, so that the flush covers it.
	head := d.cfg.Chain.CurrentBlock()
	if err := d.cfg.Chain.SyncBlocks(); err != nil {
		return errors.Join(err, voteLog.Close())
	}
	if err := d.restore(voteLog, head); err != nil {
		return errors.Join(err, voteLog.Close())
	}
	d.voteLog, d.durable = voteLog, head.Number.Uint64()
	d.prune()
	return nil
}

// votesOf opens the vote log of an owner: that of the keeper of the key, or else the file in the directory.
func (d *Driver) votesOf(owner votelog.Owner) (votelog.Votes, error) {
	if keeper := d.keeper(); keeper != nil {
		return keeper.OpenVotes(owner)
	}
	if err := d.cfg.Disk.MakeDirectory(d.cfg.VoteLogDir); err != nil {
		return nil, fmt.Errorf("directory of the vote log: %w", err)
	}
	return votelog.OpenOn(d.cfg.Disk, filepath.Join(d.cfg.VoteLogDir, VoteLogFile), owner)
}

// keeper returns the process that keeps the key, or nil.
func (d *Driver) keeper() Keeper {
	keeper, _ := (*d.cfg.Engine.key.Load()).(Keeper)
	return keeper
}

// prune drops the votes of sequences that were decided long ago, and compacts a wasteful vote log.
func (d *Driver) prune() {
	if d.voteLog == nil || d.durable <= rememberedSequences {
		return
	}
	d.voteLog.Prune(d.durable - rememberedSequences)
	if d.voteLog.Wasteful() && d.compacting.CompareAndSwap(false, true) {
		d.compact(d.voteLog)
	}
}

// compact makes the vote log smaller in the background, since a compaction may outlast a block. A failed compaction is
// logged; votes continue in the old file.
func (d *Driver) compact(voteLog votelog.Votes) {
	compact := func() {
		defer d.compacting.Store(false)
		if err := voteLog.Compact(); err != nil {
			log.Error("Vote log not compacted", "err", err)
		}
	}
	if d.cfg.InlineUpkeep {
		compact()
		return
	}
	d.work(compact)
}

// Stop ends the participation and waits for all goroutines of the driver.
func (d *Driver) Stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.run == nil {
		return
	}
	d.cancel()
	<-d.done
	d.workers.Wait()
	d.core.End()
	if d.voteLog != nil {
		if err := d.voteLog.Close(); err != nil {
			log.Error("Vote log not closed", "err", err)
		}
	}
	if err := d.unlockKey(); err != nil {
		log.Error("Validator key not unlocked", "err", err)
	}
	d.run = nil
	log.Info("Validator stopped", "address", d.address)
}

// unlockKey releases the lock on the key.
func (d *Driver) unlockKey() error {
	if d.locked == nil {
		return nil
	}
	return d.locked.Close()
}

// Running reports whether the driver takes part in the consensus. It does not after a halt, nor after the chain was
// closed, although only Stop ends the run.
func (d *Driver) Running() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.run == nil || d.halted.Load() != nil {
		return false
	}
	select {
	case <-d.done:
		return false
	default:
		return true
	}
}

// Deliver queues a message from a peer and reports whether the message was accepted. It never blocks: a full inbox
// drops this message or an older one. The protocol repeats messages.
func (d *Driver) Deliver(code uint64, payload []byte, from common.Address) bool {
	if d.halted.Load() != nil {
		return false
	}
	ok, evicted := d.inbox.put(core.Message{Code: code, Payload: payload, From: from})
	for _, m := range evicted {
		droppedMeter.Mark(1)
		d.cfg.Network.Forget(m.Payload)
	}
	if !ok {
		droppedMeter.Mark(1)
	}
	return ok
}

// PeerConnected reports that the connection to the node with this address carries messages. The report also waits for
// a stopped driver to start.
func (d *Driver) PeerConnected(address common.Address) {
	d.tellConnection(core.PeerConnected{Address: address})
}

// PeerLost reports that the connection to the node with this address has ended. A driver that does not run ignores it:
// its next core counts no validator as disconnected.
func (d *Driver) PeerLost(address common.Address) {
	if d.Running() {
		d.tellConnection(core.PeerLost{Address: address})
	}
}

// tellConnection queues a change of connections. A full queue drops the change: the new peer then has to wait for the
// next repetition of this node's messages, and a lost proposer is given the full timeout of its round.
func (d *Driver) tellConnection(ev core.Event) {
	select {
	case d.connected <- ev:
	default:
	}
}

// Pause stops building and voting while the node fetches blocks of its peers. Resuming continues on the head of that
// moment. Messages, timers and verdicts that arrive meanwhile are handled after the pause, within their bounds.
func (d *Driver) Pause(paused bool) {
	d.mu.Lock()
	run := d.run
	d.mu.Unlock()
	if run == nil {
		return
	}
	select {
	case run.jobsInPause <- func(ctx context.Context) {
		if d.paused == paused {
			return
		}
		d.paused = paused
		if paused {
			d.candidate.abandon()
		} else {
			d.newHead(ctx, true)
		}
	}:
	case <-run.done:
	}
}

// Halted returns why this validator halted, or "".
func (d *Driver) Halted() string {
	if reason := d.halted.Load(); reason != nil {
		return *reason
	}
	return ""
}

// Muted returns why this validator is muted, or "". A muted validator follows the consensus and signs nothing until the
// process ends.
func (d *Driver) Muted() string {
	if reason := d.muted.Load(); reason != nil {
		return *reason
	}
	return ""
}

// Status returns a snapshot of the core, or the zero value before the first step.
func (d *Driver) Status() core.Status {
	if s := d.status.Load(); s != nil {
		return *s
	}
	return core.Status{}
}

// Halt stops the participation until the process is restarted, because continuing could contradict the network. The
// first reason stays. Nothing is signed, sent or built from then on. A decided block that is being written is written.
// docs/architecture.md lists the causes of a halt.
func (d *Driver) Halt(reason string) {
	if d.halted.CompareAndSwap(nil, &reason) {
		log.Error(HaltedMessage, "reason", reason)
		haltedGauge.Update(1)
		close(d.halting)
	}
}

// Violation halts because a quorum has sealed a block other than the final one. Every violation is counted and logged.
func (d *Driver) Violation(reason string) {
	violationGauge.Inc(1)
	log.Error("SAFETY VIOLATION", "reason", reason)
	d.Halt(reason)
}

// loop is the goroutine of the driver. It ends with ctx, a halt, or the subscription, which ends only when the chain is
// closed.
func (d *Driver) loop(ctx context.Context, heads <-chan gethcore.ChainHeadEvent, sub event.Subscription) {
	defer close(d.done)
	defer sub.Unsubscribe()
	defer func() {
		for _, t := range d.timers {
			t.Stop()
		}
		d.candidate.abandon()
		d.cfg.Engine.SetLateSeals(nil)
	}()
	reminder := time.NewTicker(mutedReminder)
	defer reminder.Stop()
	d.newHead(ctx, false)
	for {
		// A paused driver takes heads and jobs of a pause only. Everything else stays in its channel.
		inbox, connected, jobs := d.inbox.ready, d.connected, d.jobs
		if d.paused {
			inbox, connected, jobs = nil, nil, nil
		}
		select {
		case <-ctx.Done():
			return
		case <-d.halting:
			return
		case err := <-sub.Err():
			log.Error("Validator ended", "reason", "the chain is closed", "err", err) // a node stops its driver before
			return
		case <-heads:
			d.newHead(ctx, false)
		case f := <-d.jobsInPause:
			f(ctx)
		case f := <-jobs:
			f(ctx)
		case <-inbox:
			if m, ok := d.inbox.take(); ok {
				d.inbox.charge(m.From, d.step(ctx, m))
			}
		case ev := <-connected:
			d.step(ctx, ev)
		case <-reminder.C:
			if reason := d.muted.Load(); reason != nil {
				log.Error(MutedMessage, "reason", *reason)
			}
			if w := d.waiting.Load(); w != nil {
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
func (d *Driver) newHead(ctx context.Context, repeat bool) {
	head := d.cfg.Chain.CurrentBlock()
	unchanged := d.head != nil && d.head.Hash() == head.Hash()
	if d.paused || d.halted.Load() != nil || unchanged && !repeat {
		return
	}
	number := head.Number.Uint64()
	if number < d.durable {
		d.durable = 0 // the chain was set back: new blocks have to be synced again
	}
	if number > d.durable {
		d.settle(ctx, number)
		return
	}
	set, err := d.cfg.Engine.ValidatorsAfter(d.cfg.Chain, head)
	if err != nil {
		d.Halt(fmt.Sprintf("the validator set of block %d cannot be read: %v", number+1, err))
		return
	}
	params := paramsOf(d.cfg.Engine.config.WBFTAt(number + 1))
	if !unchanged {
		if err := d.beginSequence(ctx, head, set, params.BlockPeriod); err != nil {
			d.Halt(err.Error())
			return
		}
	}
	d.step(ctx, core.NewHead{Head: core.Head{Header: head, Set: set, Params: params}})
	d.noteWaiting()
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
func (d *Driver) beginSequence(
	ctx context.Context, head *types.Header, set *validators.Set, period time.Duration,
) error {
	d.buildPace.decided(head.Number.Uint64(), time.Now(), head.Coinbase == d.address)
	d.head, d.set = head, set
	d.inbox.setMembers(set)
	// The zero address stands for all deliverers outside the set.
	maps.DeleteFunc(d.blamed,
		func(a common.Address, _ time.Time) bool { return a != (common.Address{}) && !set.Contains(a) })
	d.executed, d.order = make(map[common.Hash]*gethcore.Executed), nil
	maps.DeleteFunc(d.calls, func(a common.Address, _ *vm.LongCalls) bool { return !set.Contains(a) })
	if d.voteLog != nil {
		if err := d.searchLost(d.voteLog, head); err != nil {
			return fmt.Errorf("the vote log cannot be written: %w", err)
		}
	}
	d.prune()
	d.awaitLate(ctx, head, period)
	return nil
}

// settle flushes the chain up to a block to disk, in the background. A commit under way does the same: perform sets
// settling for it.
func (d *Driver) settle(ctx context.Context, number uint64) {
	if d.settling {
		return
	}
	d.settling = true
	d.work(func() {
		start := time.Now()
		err := d.cfg.Chain.SyncBlocks()
		syncTimer.UpdateSince(start)
		post(ctx, d.jobsInPause, func(ctx context.Context) { d.onSettled(ctx, number, err) })
	})
}

// onSettled takes the result of settle or of a commit, and moves to the head. Every block up to number is on disk; 0
// adds none. An error is one of the disk: a node closes its database after its driver has stopped.
func (d *Driver) onSettled(ctx context.Context, number uint64, err error) {
	d.settling = false
	if err != nil {
		d.Halt(err.Error())
		return
	}
	d.durable = max(d.durable, number)
	d.newHead(ctx, false)
}

// step feeds one event to the core, makes votes and locks durable, and carries out the effects in order. cost is the
// time in the core.
func (d *Driver) step(ctx context.Context, ev core.Event) (cost time.Duration) {
	if d.halted.Load() != nil {
		return 0
	}
	// A known verdict is fed back at once, so that one durable write covers everything that follows from the event.
	var effects []core.Effect
	for pending := []core.Event{ev}; len(pending) > 0; pending = pending[1:] {
		start := time.Now()
		out := d.core.Step(start, pending[0])
		cost += time.Since(start)
		if d.cfg.Observe != nil {
			d.cfg.Observe(pending[0], out)
		}
		for _, effect := range out {
			if dropped, ok := effect.(core.Dropped); ok {
				if message, ok := pending[0].(core.Message); ok {
					d.noteDropped(message, dropped)
				}
			}
			if e, ok := effect.(core.Execute); ok {
				if _, done := d.executed[e.Block.Hash()]; done {
					pending = append(pending, core.Validated{Hash: e.Block.Hash()})
					continue
				}
			}
			effects = append(effects, effect)
		}
	}
	switch err := d.persist(effects); {
	case errors.Is(err, signing.ErrAway):
		effects = slices.DeleteFunc(effects, isOwnMessage) // they rest on a lock that is not durable
	case err != nil:
		d.Halt(err.Error())
		return cost
	}
	for _, effect := range effects {
		if d.halted.Load() != nil {
			return cost
		}
		if err := d.perform(ctx, effect); err != nil {
			d.Halt(err.Error())
			return cost
		}
	}
	status := d.core.Status()
	d.status.Store(&status)
	d.welcomeDropped(messages.View{Sequence: status.Sequence, Round: status.Round})
	silentGauge.Update(int64(len(status.Unresponsive)))
	probationGauge.Update(int64(len(status.Probation)))
	sequenceGauge.Update(int64(status.Sequence))
	roundGauge.Update(int64(status.Round))
	return cost
}
