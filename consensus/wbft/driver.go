// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/event"
	"github.com/ethereum/go-ethereum/log"

	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/signlog"
	"gwon/consensus/wbft/validators"
)

const (
	heldExecutions = 8                // executed blocks of one sequence kept for their commit
	defaultTimeout = 10 * time.Second // cap of the round timeout where the network sets none
	devTimeout     = 365 * 24 * time.Hour
	staleRetry     = 100 * time.Millisecond
	votesFile      = "votes.log"
)

// HaltedMessage is what the log says when and as long as a node has stopped for safety.
const HaltedMessage = "THIS NODE HAS STOPPED FOR SAFETY"

// Network carries consensus messages. Its methods must not block.
type Network interface {
	// Send transmits an own message to the connected validators of the set, or to those of them in to. Force repeats it to
	// peers that were sent it before.
	Send(set []common.Address, code uint64, payload []byte, to []common.Address, force bool)
	// Relay passes a message of another validator on to the validators of the set that are not known to have it.
	Relay(set []common.Address, code uint64, payload []byte)
	// Forget makes a message that came to nothing welcome again: it may have been early, and its author repeats it.
	Forget(payload []byte)
	// Announce tells the network about a block that this node committed.
	Announce(block *types.Block)
}

// Builder makes candidate blocks on top of a parent. It stops early, with what it has, when ctx ends.
type Builder interface {
	Build(ctx context.Context, parent *types.Header, coinbase common.Address, timestamp uint64) (*gethcore.Executed, error)
	// WaitWork blocks until there is a transaction to build a block for; used only by sealing on demand.
	WaitWork(ctx context.Context) error
}

// DriverConfig tells a Driver what to work on.
type DriverConfig struct {
	Engine    *Engine
	Chain     *gethcore.BlockChain
	Network   Network
	Builder   Builder
	Pooled    func(common.Hash) *types.Transaction // finds transactions of the pool, whose signers are known; nil for none
	VotesDir  string                               // directory of the durable votes; empty keeps none, for chains in memory only
	OnDemand  bool                                 // build only when there is a transaction (developer chains)
	DevPeriod time.Duration                        // pause between blocks of a developer chain that exceeds the chain's own period
}

// Driver is the goroutine that connects the state machine of package core to clock, network, chain and block production.
type Driver struct {
	cfg     DriverConfig
	address common.Address
	core    *core.Core
	signed  *signlog.Log // nil for chains in memory only

	inbox     *inbox
	connected chan common.Address
	fired     chan uint64
	validated chan validation
	built     chan candidate
	due       chan buildTask
	control   chan func()

	// Owned by the goroutine.
	head        *types.Header
	set         *validators.Set
	executed    map[common.Hash]*gethcore.Executed
	order       []common.Hash // of executed, oldest first
	timers      map[core.TimerKind]*time.Timer
	cancelBuild context.CancelFunc
	paused      bool
	reports     reports

	halted  atomic.Pointer[string]
	status  atomic.Pointer[core.Status]
	durable atomic.Uint64 // newest block that was written and synced

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
	retry    time.Duration
}

// candidate is a block built for a view.
type candidate struct {
	parent   common.Hash
	round    uint64
	executed *gethcore.Executed
	err      error
}

// NewDriver returns a stopped driver. The engine must have been authorised.
func NewDriver(cfg DriverConfig) (*Driver, error) {
	if cfg.Engine.signer.Load() == nil {
		return nil, errNoKey
	}
	return &Driver{
		cfg:       cfg,
		address:   cfg.Engine.signer.Load().address,
		inbox:     newInbox(),
		connected: make(chan common.Address, 64),
		control:   make(chan func()),
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
	s := d.cfg.Engine.signer.Load()
	d.core = core.New(core.Config{
		Address: s.address,
		Sign: func(payload []byte) ([]byte, error) {
			return crypto.Sign(crypto.Keccak256(payload), s.key)
		},
		Seal:              func(digest [32]byte) []byte { return s.bls.Sign(digest[:]) },
		DefaultMaxTimeout: defaultTimeout,
	})
	if d.cfg.VotesDir != "" {
		if err := os.MkdirAll(d.cfg.VotesDir, 0o700); err != nil {
			return fmt.Errorf("directory of the vote log: %w", err)
		}
		file, err := signlog.Open(filepath.Join(d.cfg.VotesDir, votesFile),
			signlog.Owner{Validator: d.address, Genesis: d.cfg.Chain.Genesis().Hash()}, signerOf)
		if err != nil {
			return err
		}
		d.signed = file
		d.restore()
	}
	ctx, cancel := context.WithCancel(context.Background())
	d.cancel, d.done = cancel, make(chan struct{})
	d.fired = make(chan uint64)
	d.validated = make(chan validation)
	d.built = make(chan candidate)
	d.due = make(chan buildTask)
	d.timers = make(map[core.TimerKind]*time.Timer)
	d.head = nil

	heads := make(chan gethcore.ChainHeadEvent, 64)
	sub := d.cfg.Chain.SubscribeChainHeadEvent(heads)
	go d.loop(ctx, heads, sub)
	log.Info("Validator started", "address", d.address)
	return nil
}

// restore gives the state machine what this key has signed before, so that it neither contradicts itself nor forgets its lock.
func (d *Driver) restore() {
	if torn := d.signed.Torn(); torn > 0 {
		log.Warn("The vote log ended in the middle of a record, which was never acted on", "bytes", torn)
	}
	rec := core.Restored{Floor: d.signed.Floor()}
	for _, s := range d.signed.Sequences() {
		r := core.RestoredSequence{Sequence: s.Number}
		for _, v := range s.Records {
			r.Votes = append(r.Votes, core.Vote(v))
		}
		if s.Lock != nil {
			r.Lock = s.Lock.Certificate
		}
		rec.Sequences = append(rec.Sequences, r)
	}
	d.core.Restore(rec)
}

// signerOf recovers the author of a message.
func signerOf(code uint64, payload []byte) (common.Address, error) {
	m, err := messages.Decode(code, payload)
	if err != nil {
		return common.Address{}, err
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
	if d.signed != nil {
		if err := d.signed.Close(); err != nil {
			log.Error("Cannot close the vote log", "err", err)
		}
		d.signed = nil
	}
	log.Info("Validator stopped", "address", d.address)
}

// Running reports whether the driver takes part in the consensus.
func (d *Driver) Running() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.cancel != nil
}

// Deliver hands over a message from a peer. It never blocks: when the driver cannot follow, the message is dropped, and the
// protocol's retries make up for it; the result tells which.
func (d *Driver) Deliver(code uint64, payload []byte, from common.Address) bool {
	if !d.inbox.put(core.Message{Code: code, Payload: payload, From: from}) {
		droppedMeter.Mark(1)
		return false
	}
	return true
}

// PeerConnected tells that a connection to the node with this address is ready to carry messages.
func (d *Driver) PeerConnected(address common.Address) {
	select {
	case d.connected <- address:
	default:
	}
}

// Pause stops building and voting while the chain is being downloaded, and resumes on the head it then has.
func (d *Driver) Pause(paused bool) {
	d.mu.Lock()
	done, running := d.done, d.cancel != nil
	d.mu.Unlock()
	if !running {
		return
	}
	select {
	case d.control <- func() {
		if d.paused == paused {
			return
		}
		d.paused = paused
		if d.cancelBuild != nil {
			d.cancelBuild()
		}
		if !paused {
			d.head = nil
		}
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

// Status returns a snapshot of the state machine; the zero value before it ran.
func (d *Driver) Status() core.Status {
	if s := d.status.Load(); s != nil {
		return *s
	}
	return core.Status{}
}

// Halt stops the participation for good because going on could contradict what the network decided. The first reason stays.
func (d *Driver) Halt(reason string) {
	if d.halted.CompareAndSwap(nil, &reason) {
		log.Error(HaltedMessage, "reason", reason)
		haltedGauge.Update(1)
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
	d.newHead(ctx)
	for {
		select {
		case <-ctx.Done():
			return
		case <-sub.Err():
			return
		case <-heads:
			d.newHead(ctx)
		case <-d.inbox.ready:
			if m, ok := d.inbox.take(); ok {
				d.step(ctx, m)
			}
		case id := <-d.fired:
			d.step(ctx, core.Timeout{ID: id})
		case v := <-d.validated:
			d.onValidated(ctx, v)
		case c := <-d.built:
			d.onBuilt(ctx, c)
		case task := <-d.due:
			d.startBuild(ctx, task)
		case address := <-d.connected:
			d.step(ctx, core.PeerConnected{Address: address})
		case f := <-d.control:
			f()
			d.newHead(ctx)
		}
	}
}

// newHead moves the state machine to the chain's current head, if that is a new one.
func (d *Driver) newHead(ctx context.Context) {
	head := d.cfg.Chain.CurrentBlock()
	if d.paused || d.head != nil && d.head.Hash() == head.Hash() {
		return
	}
	number := head.Number.Uint64() + 1
	set, err := d.cfg.Engine.ValidatorsAfter(d.cfg.Chain, head)
	if err != nil {
		d.Halt(fmt.Sprintf("the validator set of block %d cannot be read: %v", number, err))
		return
	}
	config := d.cfg.Engine.config.WBFTAt(number)
	params := core.Params{RequestTimeout: time.Duration(config.RequestTimeoutSeconds) * time.Second, Policy: *config.ProposerPolicy}
	if config.MaxRequestTimeoutSeconds != nil {
		params.MaxRequestTimeout = time.Duration(*config.MaxRequestTimeoutSeconds) * time.Second
	}
	if d.cfg.OnDemand || d.cfg.DevPeriod > 0 {
		// A developer chain waits for work instead of changing rounds.
		params.RequestTimeout, params.MaxRequestTimeout = devTimeout, devTimeout
	}
	d.head, d.set = head, set
	d.inbox.set.Store(set)
	d.executed, d.order = make(map[common.Hash]*gethcore.Executed), nil
	// Votes are let go only once their block is on disk for certain, which an imported block is not at once.
	if durable := d.durable.Load(); d.signed != nil && durable > 0 {
		if err := d.signed.Prune(min(durable, head.Number.Uint64())); err != nil {
			d.Halt(fmt.Sprintf("the vote log cannot be written: %v", err))
		}
	}
	d.step(ctx, core.NewHead{Head: core.Head{Header: head, Set: set, Params: params}})
}

// step feeds one event to the state machine and carries out its effects in order.
func (d *Driver) step(ctx context.Context, ev core.Event) {
	if d.paused || d.halted.Load() != nil {
		if message, ok := ev.(core.Message); ok {
			d.cfg.Network.Forget(message.Payload)
		}
		return
	}
	pending := []core.Event{ev}
	for len(pending) > 0 {
		ev, pending = pending[0], pending[1:]
		message, isMessage := ev.(core.Message)
		for _, effect := range d.core.Step(time.Now(), ev) {
			if _, dropped := effect.(core.Dropped); dropped && isMessage {
				d.cfg.Network.Forget(message.Payload)
			}
			next, err := d.perform(ctx, effect)
			if err != nil {
				d.Halt(err.Error())
				return
			}
			if next != nil {
				pending = append(pending, next)
			}
		}
	}
	status := d.core.Status()
	d.status.Store(&status)
	sequenceGauge.Update(int64(status.Sequence))
	roundGauge.Update(int64(status.Round))
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
	if d.head == nil || v.block.ParentHash() != d.head.Hash() {
		return
	}
	if v.executed != nil {
		d.hold(v.executed)
	}
	if v.err != nil && v.retry == 0 {
		refusedMeter.Mark(1)
		log.Warn("Proposal refused", "number", v.block.Number(), "hash", v.block.Hash(), "coinbase", v.block.Coinbase(), "err", v.err)
	}
	d.step(ctx, core.Validated{Hash: v.block.Hash(), Err: v.err, RetryAfter: v.retry})
}

func (d *Driver) onBuilt(ctx context.Context, c candidate) {
	if d.head == nil || c.parent != d.head.Hash() {
		return
	}
	if c.err != nil {
		if !errors.Is(c.err, context.Canceled) {
			log.Error("Cannot build a block", "number", d.head.Number.Uint64()+1, "round", c.round, "err", c.err)
		}
		return
	}
	d.hold(c.executed)
	d.step(ctx, core.Candidate{Block: c.executed.Block(), Round: c.round})
}
