// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/event"
	"github.com/ethereum/go-ethereum/log"

	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/evidence"
	"gwon/consensus/wbft/recording"
	"gwon/consensus/wbft/votelog"
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
	// Broadcast sends a block that this node committed. Holders need no announcement.
	Broadcast(block *types.Block, holders []common.Address)
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
	// Cause returns what an accusation by a rule ends with where the peers' rules may differ. It may be nil.
	Cause func() string
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

// Driver connects the core to clock, network, chain and block building. Each start makes a run, whose goroutine feeds
// events to the core and carries out the effects in order. Driver has what survives a stop.
type Driver struct {
	cfg     DriverConfig
	address common.Address

	// Messages that came meanwhile may be of the current view. An old PeerConnected only
	// repeats messages, and an old PeerLost shortens timeouts until its validator is heard.
	inbox     *inbox
	connected chan core.Event

	// Owned by the goroutine of the run: measurements, and bounds on lines of the log.
	buildPace  *buildPace
	misbehaved reports // of validators
	refused    reports // deliveries of peers

	halted  atomic.Pointer[string]
	halting chan struct{} // closed with the first halt
	muted   atomic.Pointer[string]
	waiting atomic.Pointer[wait]
	status  atomic.Pointer[core.Status]

	mu  sync.Mutex // guards start and stop
	run *run       // nil while the driver is stopped
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
	r := newRun(d)
	d.waiting.Store(nil)
	waitingGauge.Update(0)
	if err := r.open(); err != nil {
		r.cancel()
		return err
	}
	r.begin()
	d.run = r
	log.Info("Validator started", "address", d.address)
	return nil
}

// Stop ends the participation and waits for all goroutines of the driver.
func (d *Driver) Stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.run == nil {
		return
	}
	d.run.end()
	d.run = nil
	log.Info("Validator stopped", "address", d.address)
}

// keeper returns the process that keeps the key, or nil.
func (d *Driver) keeper() Keeper {
	keeper, _ := (*d.cfg.Engine.key.Load()).(Keeper)
	return keeper
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
	case <-d.run.done:
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
	r := d.run
	d.mu.Unlock()
	if r == nil {
		return
	}
	select {
	case r.jobsInPause <- func() { r.pause(paused) }:
	case <-r.done:
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
