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
	"sync"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/event"
	"github.com/ethereum/go-ethereum/log"

	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/evidence"
	"gwon/consensus/wbft/internal/scheme"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/validators"
	"gwon/consensus/wbft/votelog"
)

const (
	heldExecutions = 8                // executed blocks of one sequence kept for their commit
	defaultTimeout = 10 * time.Second // cap of the round timeout where the network sets none
	staleRetry     = 100 * time.Millisecond
	localRetry     = time.Second // until a proposal that could not be examined here is examined again

	// rememberedSequences is how many decided sequences the vote log remembers. Their blocks are on disk; should the chain
	// begin below them after all, this validator still contradicts nothing.
	rememberedSequences = 16

	mutedReminder = time.Minute
)

// VoteLogFile is the name of the vote log in its directory.
const VoteLogFile = "votes.log"

// What the log says when and as long as a node has stopped for safety, or signs nothing because its key is in use elsewhere.
const (
	HaltedMessage = "THIS NODE HAS STOPPED FOR SAFETY"
	MutedMessage  = "THIS VALIDATOR SIGNS NOTHING ANY MORE: ITS KEY IS IN USE ELSEWHERE"
)

// Chain is the part of core.BlockChain that the driver works on.
type Chain interface {
	consensus.ChainHeaderReader

	Genesis() *types.Block
	CurrentBlock() *types.Header
	SubscribeChainHeadEvent(ch chan<- gethcore.ChainHeadEvent) event.Subscription
	// ExecuteProposal and CommitExecuted are documented in core.BlockChain; the second returns when the block is on disk.
	ExecuteProposal(ctx context.Context, block *types.Block) (*gethcore.Executed, error)
	CommitExecuted(sealed *types.Block, ex *gethcore.Executed) error
	// SyncBlocks returns when every block that was in the chain before is on disk.
	SyncBlocks() error
}

// Network carries consensus messages. Its methods must not block.
type Network interface {
	// Send transmits an own message to the connected validators of the set, or to those of them in to. Force repeats it to
	// peers that were sent it before.
	Send(set []common.Address, code uint64, payload []byte, to []common.Address, force bool)
	// Relay passes a message of another validator on to the validators of the set that are not known to have it.
	Relay(set []common.Address, code uint64, payload []byte)
	// Forget makes a message that came to nothing welcome again: it may have been early, and its author repeats it.
	Forget(payload []byte)
	// Drop ends the connections to a validator that has sent what no honest one sends. It may connect again.
	Drop(validator common.Address, reason string)
	// Announce tells the network about a block that this node committed. Holders have it, or it is on its way to them.
	Announce(block *types.Block, holders []common.Address)
}

// Builder makes candidate blocks on top of a parent. It stops early, with what it has, when ctx ends.
type Builder interface {
	Build(ctx context.Context, parent *types.Header, coinbase common.Address, timestamp uint64) (*gethcore.Executed, error)
}

// DriverConfig tells a Driver what to work on.
type DriverConfig struct {
	Engine     *Engine
	Chain      Chain
	Network    Network
	Builder    Builder
	Pooled     func(common.Hash) *types.Transaction // finds transactions of the pool, whose signers are known; nil for none
	VoteLogDir string                               // directory of the durable votes; empty keeps none, for chains in memory only
	LockKey    KeyLock                              // keeps other processes from validating with the key; nil for nothing
	SignFrom   uint64                               // sequence from which the key signs although votes are lost; 0 for none
	Disk       votelog.Disk                         // on which it is; nil for the operating system's
	Evidence   *evidence.Store                      // keeps what validators say that contradicts itself; nil for none
	InStep     bool                                 // write the vote log anew in the goroutine, for simulations that repeat themselves
	Observe    func(core.Event, []core.Effect)      // sees each step before its effects are carried out; nil for nobody
}

// KeyLock takes the one lock of this machine on a validator's key until it is closed.
type KeyLock func(validator common.Address, genesis common.Hash) (io.Closer, error)

// Driver is the goroutine that connects the state machine of package core to clock, network, chain and block production.
type Driver struct {
	cfg     DriverConfig
	address common.Address
	core    *core.Core
	voteLog *votelog.Log // nil for chains in memory only
	locked  io.Closer    // the key; nil without a lock

	inbox     *inbox
	connected chan core.Event
	fired     chan uint64
	validated chan validation
	built     chan candidate
	ripe      chan candidate // whose time has come
	due       chan buildTask
	calm      chan *types.Header // a head whose late seals should be there
	settled   chan settlement
	tick      chan struct{} // of the relays that were put off
	control   chan func(context.Context)

	// Owned by the goroutine.
	head        *types.Header // on which the state machine works
	set         *validators.Set
	durable     uint64 // every block up to this number is on disk
	settling    bool   // a block is on its way to the disk
	searched    uint64 // up to this block own seals were compared with the vote log
	executed    map[common.Hash]*gethcore.Executed
	order       []common.Hash            // of executed, oldest first
	validating  map[common.Hash]struct{} // proposals under examination
	timers      map[core.TimerKind]*time.Timer
	fresh, old  []core.Relay // put off: since the last tick, and before
	cancelBuild context.CancelFunc
	pace        *pace
	paused      bool
	recorder    *evidence.Recorder           // nil without a store
	misbehaved  reports                      // of validators
	refused     reports                      // deliveries of peers
	blamed      map[common.Address]time.Time // validators, and when that was logged
	dropped     droppedMessages

	compacting atomic.Bool // the vote log's file is being made smaller

	halted  atomic.Pointer[string]
	halting chan struct{} // closed with the first halt
	muted   atomic.Pointer[string]
	waiting atomic.Pointer[wait]
	status  atomic.Pointer[core.Status]

	mu      sync.Mutex // guards start and stop
	cancel  context.CancelFunc
	done    chan struct{}
	workers sync.WaitGroup
}

// validation is the outcome of checking and executing a proposal.
type validation struct {
	block    *types.Block
	executed *gethcore.Executed
	err      error
	local    bool          // err has its reason in this node
	retry    time.Duration // > 0: no verdict; ask again then
}

// settlement tells that blocks have come to the disk.
type settlement struct {
	number uint64 // every block up to it; 0 for none
	err    error
}

// candidate is a block built for a view.
type candidate struct {
	buildTask
	executed *gethcore.Executed
	err      error
	took     time.Duration
}

// NewDriver returns a stopped driver. The engine must have been authorised.
func NewDriver(cfg DriverConfig) (*Driver, error) {
	if cfg.Engine.signer.Load() == nil {
		return nil, errNoKey
	}
	if cfg.Disk == nil {
		cfg.Disk = votelog.OS{}
	}
	return &Driver{
		cfg:       cfg,
		address:   cfg.Engine.signer.Load().address,
		inbox:     newInbox(),
		connected: make(chan core.Event, 256),
		control:   make(chan func(context.Context)),
		halting:   make(chan struct{}),
		pace:      newPace(),
	}, nil
}

// Start opens the vote log and takes part in the consensus from the current head on. It does nothing when already running.
func (d *Driver) Start() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cancel != nil {
		return nil
	}
	if reason := d.halted.Load(); reason != nil {
		return fmt.Errorf("this validator has stopped for safety: %s", *reason)
	}
	if reason := d.muted.Load(); reason != nil {
		return fmt.Errorf("this validator signs nothing until the process is started again: %s", *reason)
	}
	s := d.cfg.Engine.signer.Load()
	d.core = core.New(core.Config{
		Address:           s.address,
		Sign:              scheme.SignWith(s.key),
		Seal:              func(digest [32]byte) []byte { return scheme.Seal(s.bls, digest[:]) },
		DefaultMaxTimeout: defaultTimeout,
	})
	d.head, d.durable, d.settling = nil, 0, false
	d.waiting.Store(nil)
	waitingGauge.Update(0)
	if d.cfg.LockKey != nil {
		locked, err := d.cfg.LockKey(s.address, d.cfg.Chain.Genesis().Hash())
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
	ctx, cancel := context.WithCancel(context.Background())
	d.cancel, d.done = cancel, make(chan struct{})
	d.fired = make(chan uint64)
	d.validated = make(chan validation)
	d.built, d.ripe = make(chan candidate), make(chan candidate)
	d.due, d.calm = make(chan buildTask), make(chan *types.Header)
	d.settled = make(chan settlement)
	d.tick, d.fresh, d.old = make(chan struct{}), nil, nil
	d.timers = make(map[core.TimerKind]*time.Timer)
	d.executed, d.order = make(map[common.Hash]*gethcore.Executed), nil
	d.validating = make(map[common.Hash]struct{})
	d.paused, d.dropped, d.blamed = false, droppedMessages{}, make(map[common.Address]time.Time)
	if d.cfg.Evidence != nil {
		d.recorder = evidence.NewRecorder(d.cfg.Evidence)
		d.work(func() { d.recorder.Run(ctx) })
	}

	heads := make(chan gethcore.ChainHeadEvent, 64)
	sub := d.cfg.Chain.SubscribeChainHeadEvent(heads)
	go func() {
		defer cancel() // after a halt: nothing that is under way is wanted any more
		d.loop(ctx, heads, sub)
	}()
	log.Info("Validator started", "address", d.address)
	return nil
}

// openVoteLog opens the vote log and gives the state machine what this key has signed before, so that it neither contradicts
// itself nor forgets a lock.
func (d *Driver) openVoteLog() error {
	if err := d.cfg.Disk.MakeDirectory(d.cfg.VoteLogDir); err != nil {
		return fmt.Errorf("directory of the vote log: %w", err)
	}
	owner := votelog.Owner{Validator: d.address, Genesis: d.cfg.Chain.Genesis().Hash(), ChainID: d.cfg.Engine.config.ChainID.Uint64()}
	voteLog, err := votelog.OpenOn(d.cfg.Disk, filepath.Join(d.cfg.VoteLogDir, VoteLogFile), owner)
	if err != nil {
		return err
	}
	if torn := voteLog.Torn(); torn > 0 {
		log.Warn("The vote log ended in the middle of a record, which was never acted on", "bytes", torn)
	}
	// A kill leaves blocks that only the kernel knows of.
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

// prune lets go of what was signed in sequences decided long enough ago.
func (d *Driver) prune() {
	if d.voteLog == nil || d.durable <= rememberedSequences {
		return
	}
	d.voteLog.Prune(d.durable - rememberedSequences)
	if d.voteLog.Wasteful() && d.compacting.CompareAndSwap(false, true) {
		d.compact(d.voteLog)
	}
}

// compact makes the file of the vote log smaller beside the goroutine, which would miss a block meanwhile. A file that cannot be made
// smaller is good enough to go on: a vote that does not fit into it any more is not sent.
func (d *Driver) compact(voteLog *votelog.Log) {
	compact := func() {
		defer d.compacting.Store(false)
		if err := voteLog.Compact(); err != nil {
			log.Error("Cannot make the vote log smaller", "err", err)
		}
	}
	if d.cfg.InStep {
		compact()
		return
	}
	d.work(compact)
}

// AuthorOf recovers the author of a recorded message, and sees that the record is about it.
func AuthorOf(r votelog.Record) (common.Address, error) {
	m, err := messages.Decode(r.Code, r.Payload)
	if err != nil {
		return common.Address{}, err
	}
	if view := (messages.View{Sequence: r.Sequence, Round: r.Round}); m.View() != view || core.Subject(m) != r.Digest {
		return common.Address{}, fmt.Errorf("it is recorded as one of view %v for %v, and is of view %v for %v", view, r.Digest, m.View(), core.Subject(m))
	}
	return m.Signer()
}

// Stop ends the participation and waits until nothing of it runs any more.
func (d *Driver) Stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cancel == nil {
		return
	}
	d.cancel()
	<-d.done
	d.workers.Wait()
	d.cancel = nil
	if d.voteLog != nil {
		if err := d.voteLog.Close(); err != nil {
			log.Error("Cannot close the vote log", "err", err)
		}
		d.voteLog = nil
	}
	if err := d.unlockKey(); err != nil {
		log.Error("Cannot unlock the validator's key", "err", err)
	}
	log.Info("Validator stopped", "address", d.address)
}

// unlockKey lets other processes have the key.
func (d *Driver) unlockKey() error {
	if d.locked == nil {
		return nil
	}
	err := d.locked.Close()
	d.locked = nil
	return err
}

// Running reports whether the driver takes part in the consensus.
func (d *Driver) Running() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.cancel != nil
}

// Deliver hands over a message from a peer. It never blocks: when the driver cannot follow, the message is dropped, or an older
// one for it, and the protocol's retries make up for it; the result is false when the message is not welcome.
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

// PeerConnected tells that a connection to the node with this address is ready to carry messages.
func (d *Driver) PeerConnected(address common.Address) {
	d.tellConnection(core.PeerConnected{Address: address})
}

// PeerLost tells that the connection to the node with this address has ended. That of before a start is none of the sequence that it begins with.
func (d *Driver) PeerLost(address common.Address) {
	if d.Running() {
		d.tellConnection(core.PeerLost{Address: address})
	}
}

func (d *Driver) tellConnection(ev core.Event) {
	select {
	case d.connected <- ev:
	default:
	}
}

// Pause stops building and voting while the chain is being downloaded, and resumes on the head it then has. Nothing that
// arrives meanwhile is lost, within the bounds of what waits: messages, timers and verdicts are looked at afterwards.
func (d *Driver) Pause(paused bool) {
	d.mu.Lock()
	done, running := d.done, d.cancel != nil
	d.mu.Unlock()
	if !running {
		return
	}
	select {
	case d.control <- func(ctx context.Context) {
		if d.paused == paused {
			return
		}
		d.paused = paused
		if paused && d.cancelBuild != nil {
			d.cancelBuild()
		}
		d.newHead(ctx, true)
	}:
	case <-done:
	}
}

// Halted returns why this validator stopped itself for safety, or "".
func (d *Driver) Halted() string {
	if reason := d.halted.Load(); reason != nil {
		return *reason
	}
	return ""
}

// Muted returns why this validator signs nothing more although it follows the consensus, or "". It holds until the process ends.
func (d *Driver) Muted() string {
	if reason := d.muted.Load(); reason != nil {
		return *reason
	}
	return ""
}

// Status returns a snapshot of the state machine; the zero value before it ran.
func (d *Driver) Status() core.Status {
	if s := d.status.Load(); s != nil {
		return *s
	}
	return core.Status{}
}

// Halt stops the participation for good because going on could contradict what the network decided. The first reason stays.
// Nothing more is signed, sent or built from then on, not even the rest of what is under way; a decided block that is being
// written is written.
// Who can bring it about stands in docs/architecture.md: no peer, but by what a quorum's hash covers.
func (d *Driver) Halt(reason string) {
	if d.halted.CompareAndSwap(nil, &reason) {
		log.Error(HaltedMessage, "reason", reason)
		haltedGauge.Update(1)
		close(d.halting)
	}
}

// Violation halts because the network has decided twice: a quorum has sealed a block other than the one that is final here.
// Unlike a halt it is counted and logged each time.
func (d *Driver) Violation(reason string) {
	violationGauge.Inc(1)
	log.Error("SAFETY VIOLATION", "reason", reason)
	d.Halt(reason)
}

func (d *Driver) loop(ctx context.Context, heads <-chan gethcore.ChainHeadEvent, sub event.Subscription) {
	defer close(d.done)
	defer sub.Unsubscribe()
	defer func() {
		for _, t := range d.timers {
			t.Stop()
		}
		if d.cancelBuild != nil {
			d.cancelBuild()
		}
		d.cfg.Engine.SetLateSeals(nil)
	}()
	reminder := time.NewTicker(mutedReminder)
	defer reminder.Stop()
	d.newHead(ctx, false)
	for {
		// While paused everything but the chain waits where it is.
		inbox, fired, validated, built, ripe, due, calm, connected := d.inbox.ready, d.fired, d.validated, d.built, d.ripe, d.due, d.calm, d.connected
		if d.paused {
			inbox, fired, validated, built, ripe, due, calm, connected = nil, nil, nil, nil, nil, nil, nil, nil
		}
		select {
		case <-ctx.Done():
			return
		case <-d.halting:
			return
		case <-sub.Err():
			return
		case <-heads:
			d.newHead(ctx, false)
		case s := <-d.settled:
			d.onSettled(ctx, s)
		case <-inbox:
			if m, ok := d.inbox.take(); ok {
				d.inbox.charge(m.From, d.step(ctx, m))
			}
		case id := <-fired:
			d.step(ctx, core.Timeout{ID: id})
		case <-d.tick:
			d.relayOld(ctx)
		case v := <-validated:
			d.onValidated(ctx, v)
		case c := <-built:
			d.onBuilt(ctx, c)
		case c := <-ripe:
			d.propose(ctx, c)
		case task := <-due:
			d.startBuild(ctx, task)
		case head := <-calm:
			d.gatherLate(head)
		case ev := <-connected:
			d.step(ctx, ev)
		case f := <-d.control:
			f(ctx)
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

// newHead moves the state machine to the chain's current head, if that is a new one, or again: then the state machine asks
// anew for what it waits for.
//
// It moves only once the head is on disk. Votes for the next block are; if this one were not, a power loss of all validators
// would leave them bound to a block whose parent nobody has (spec wbft 5.10).
func (d *Driver) newHead(ctx context.Context, again bool) {
	head := d.cfg.Chain.CurrentBlock()
	same := d.head != nil && d.head.Hash() == head.Hash()
	if d.paused || d.halted.Load() != nil || same && !again {
		return
	}
	number := head.Number.Uint64()
	if number < d.durable {
		d.durable = 0 // the chain was set back: what comes again has to be synced again
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
	config := d.cfg.Engine.config.WBFTAt(number + 1)
	params := core.Params{
		BlockPeriod:    time.Duration(config.BlockPeriodSeconds) * time.Second,
		RequestTimeout: time.Duration(config.RequestTimeoutSeconds) * time.Second,
		Policy:         *config.ProposerPolicy,
	}
	if config.MaxRequestTimeoutSeconds != nil {
		params.MaxRequestTimeout = time.Duration(*config.MaxRequestTimeoutSeconds) * time.Second
	}
	if !same {
		d.pace.decided(number, time.Now(), head.Coinbase == d.address)
		d.head, d.set = head, set
		d.inbox.setMembers(set)
		maps.DeleteFunc(d.blamed, func(a common.Address, _ time.Time) bool { return a != (common.Address{}) && !set.Contains(a) })
		d.executed, d.order = make(map[common.Hash]*gethcore.Executed), nil
		if d.voteLog != nil {
			if err := d.searchLost(d.voteLog, head); err != nil {
				d.Halt(fmt.Sprintf("the vote log cannot be written: %v", err))
				return
			}
		}
		d.prune()
		d.awaitLate(ctx, head, time.Duration(config.BlockPeriodSeconds)*time.Second)
	}
	d.step(ctx, core.NewHead{Head: core.Head{Header: head, Set: set, Params: params}})
	d.noteWaiting()
}

// settle brings the chain up to a block to the disk, beside the goroutine. A commit under way does that anyway.
func (d *Driver) settle(ctx context.Context, number uint64) {
	if d.settling {
		return
	}
	d.settling = true
	d.work(func() {
		start := time.Now()
		err := d.cfg.Chain.SyncBlocks()
		syncTimer.UpdateSince(start)
		post(ctx, d.settled, settlement{number, err})
	})
}

func (d *Driver) onSettled(ctx context.Context, s settlement) {
	d.settling = false
	if s.err != nil {
		d.Halt(s.err.Error())
		return
	}
	d.durable = max(d.durable, s.number)
	d.newHead(ctx, false)
}

// step feeds one event to the state machine and carries out its effects in order. It returns how long the state machine took.
func (d *Driver) step(ctx context.Context, ev core.Event) (cost time.Duration) {
	if d.halted.Load() != nil {
		return 0
	}
	// A verdict that is known already is given at once, so that all that follows from one event is made durable in one go.
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
	if err := d.persist(effects); err != nil {
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
	sequenceGauge.Update(int64(status.Sequence))
	roundGauge.Update(int64(status.Round))
	return cost
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
		log.Error("A proposal could not be examined here", "number", v.block.Number(), "hash", v.block.Hash(), "err", v.err)
	case v.err != nil && v.retry == 0:
		refusedMeter.Mark(1)
		log.Warn("Proposal refused", "number", v.block.Number(), "hash", v.block.Hash(), "coinbase", v.block.Coinbase(), "err", v.err)
	}
	d.step(ctx, core.Validated{Hash: v.block.Hash(), Err: v.err, Local: v.local, RetryAfter: v.retry})
}

// onBuilt takes a candidate that was built. One that is there much too early is built again, with the transactions that have come since.
func (d *Driver) onBuilt(ctx context.Context, c candidate) {
	if d.head == nil || c.parent.Hash() != d.head.Hash() || c.ctx.Err() != nil {
		return
	}
	if c.err != nil {
		log.Error("Cannot build a block", "number", d.head.Number.Uint64()+1, "round", c.round, "err", c.err)
		return
	}
	d.pace.candidate(c.took)
	switch left := c.at.Sub(d.cfg.Engine.now()); {
	case left > 2*d.pace.lead(c.period):
		d.await(c.buildTask)
	case left > 0:
		d.work(func() {
			if d.sleepUntil(c.ctx, c.at) {
				post(ctx, d.ripe, c)
			}
		})
	default:
		d.propose(ctx, c)
	}
}

// useful returns how long building took without what went into transactions that are not in the block, which others do
// not execute.
func (c *candidate) useful() time.Duration { return c.took - c.executed.Wasted }

// propose gives a candidate whose time has come to the state machine.
func (d *Driver) propose(ctx context.Context, c candidate) {
	if d.head == nil || c.parent.Hash() != d.head.Hash() || c.ctx.Err() != nil {
		return
	}
	d.hold(c.executed)
	if status := d.Status(); c.round == 0 && status.Round == 0 && status.Proposer == d.address {
		d.pace.proposed(c.executed.Block().NumberU64(), time.Now(), c.useful())
	}
	d.step(ctx, core.Candidate{Block: c.executed.Block(), Round: c.round})
}
