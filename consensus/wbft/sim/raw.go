// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/core"
	"gwon/consensus/wbft/internal/scheme"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/signing"
	"gwon/consensus/wbft/validators"
)

// raw is a run of a node that is not this client as it ships: the model of go-stablenet, or a state machine whose
// messages a Behavior replaces. It has no vote log, and forgets all when it is killed.
type raw struct {
	*Node
	engine  *wbft.Engine
	machine machine
	dead    bool

	known  map[common.Hash]bool // payloads handled before
	caches *referenceCaches     // of go-stablenet instead
	bad    map[common.Hash]bool // blocks that go-stablenet has refused after their decision
	timers map[core.TimerKind]uint64
	built  uint64
}

var errBounds = errors.New("the block is beyond the bounds of the release, or was refused before")

func newRaw(n *Node) *raw {
	r := &raw{
		Node: n, engine: n.newEngine(), known: make(map[common.Hash]bool), timers: make(map[core.TimerKind]uint64),
		bad: make(map[common.Hash]bool),
	}
	if n.Reference != nil {
		r.caches = newReferenceCaches()
		r.machine = newReference(r, *n.Reference)
	} else {
		r.machine = core.New(core.Config{
			Address:           n.address,
			Sign:              signing.WithKeys(n.key, n.bls),
			DefaultMaxTimeout: 10 * time.Second,
		})
	}
	return r
}

func (r *raw) sign(payload []byte) ([]byte, error) { return scheme.SignWith(r.key)(payload) }
func (r *raw) seal(digest []byte) []byte           { return scheme.Seal(r.bls, digest) }
func (r *raw) status() core.Status                 { return r.machine.Status() }
func (r *raw) kill()                               { r.dead = true }

// later does something after a delay unless the process has ended in between.
func (r *raw) later(delay time.Duration, run func()) {
	r.net.afterBy(r.id, delay, func() {
		if !r.dead {
			run()
		}
	})
}

// set returns the validators of a height that the chain has reached, or nil.
func (r *raw) set(height uint64) *validators.Set {
	parent := r.chain.GetHeaderByNumber(height - 1)
	if parent == nil {
		return nil
	}
	set, err := r.engine.ValidatorsAfter(r.chain, parent)
	if err != nil {
		r.net.fail("node %d knows no validators of block %d: %v", r.id, height, err)
	}
	return set
}

func (r *raw) newHead() {
	head := r.chain.head()
	config := r.net.config.WBFTAt(head.NumberU64() + 1)
	r.step(core.NewHead{Head: core.Head{
		Header: head.Header(),
		Set:    r.set(head.NumberU64() + 1),
		Params: core.Params{
			BlockPeriod:       time.Duration(config.BlockPeriodSeconds) * time.Second,
			RequestTimeout:    time.Duration(config.RequestTimeoutSeconds) * time.Second,
			MaxRequestTimeout: time.Duration(*config.MaxRequestTimeoutSeconds) * time.Second,
			Policy:            *config.ProposerPolicy,
		},
	}})
}

func (r *raw) connect(other *Node) {
	if r.Reference != nil {
		// Until messages for a connection have a way they are lost, and count as sent (spec wbft 4.4).
		r.caches.attached[other.address] = time.Now().Add(r.span("attach "+other.address.Hex(), 20*time.Millisecond))
	}
	r.step(core.PeerConnected{Address: other.address})
}

func (r *raw) part(other *Node) { r.step(core.PeerLost{Address: other.address}) }

// receive handles a message from the network.
func (r *raw) receive(from *Node, code uint64, payload []byte) {
	hash := messages.KnownHash(payload)
	if !r.net.takes(r.Node, from, payload) {
		return
	}
	if r.Reference != nil {
		r.caches.mark(from, hash)
		if !r.caches.fresh(hash) {
			return
		}
	} else if r.known[hash] {
		return
	}
	if r.Behavior != nil && r.isOwn(code, payload) {
		return // its core must not find out what it signs beside it
	}
	for _, e := range r.step(core.Message{Code: code, Payload: payload, From: from.address}) {
		if _, dropped := e.(core.Dropped); dropped {
			return // it may be of use when it comes again
		}
	}
	r.known[hash] = true
	if r.Behavior != nil && !r.dead {
		if m, err := messages.Decode(code, payload); err == nil {
			r.Behavior.observe(r, said{m, payload})
		}
	}
}

// step gives the machine an event and carries out what it asks for.
func (r *raw) step(ev core.Event) []core.Effect {
	if r.dead {
		return nil
	}
	effects := r.machine.Step(time.Now(), ev)
	if !r.net.cfg.Quiet {
		r.net.note(r.id, "%s", r.net.observer.describeEvent(ev))
	}
	for _, e := range effects {
		r.perform(e)
	}
	return effects
}

func (r *raw) perform(e core.Effect) {
	switch e := e.(type) {
	case core.Send:
		r.send(e)
	case core.Relay:
		r.relay(e)
	case core.SetTimer:
		r.timers[e.Kind] = e.ID
		r.later(e.Delay, func() {
			if r.timers[e.Kind] == e.ID {
				r.step(core.Timeout{ID: e.ID})
			}
		})
	case core.Execute:
		r.later(r.span("execute", r.net.conditions().MaxExecution), func() { r.step(r.judge(e.Block)) })
	case core.Commit:
		r.commit(e.Block)
	case core.Build:
		r.build(e)
	case core.Misbehavior:
		r.net.observer.accused(r.Node, e)
	}
}

func (r *raw) send(e core.Send) {
	m, err := messages.Decode(e.Code, e.Payload)
	if err != nil {
		r.net.fail("node %d sends a malformed message %#x: %v", r.id, e.Code, err)
		return
	}
	if !r.net.cfg.Quiet {
		r.net.note(r.id, "sends %s", r.net.observer.describe(m))
	}
	if r.Reference != nil {
		r.caches.fresh(messages.KnownHash(e.Payload))
	}
	for _, to := range r.recipients(e.To) {
		if r.Reference != nil {
			r.sendOnce(to, e.Code, e.Payload)
			continue
		}
		for _, w := range r.Behavior.send(r, to, said{m, e.Payload}) {
			r.net.send(r.Node, to, w.Code, w.Payload)
		}
	}
}

// sendOnce sends a message to a peer that is not known to have it. That it was sent is noted before, whether it arrives
// or not, also while the peer's stream is not attached yet (spec wbft 4.4, 9.2 no. 4).
func (r *raw) sendOnce(to *Node, code uint64, payload []byte) {
	if !to.Up() || !r.net.connected(r.id, to.id) || !r.caches.mark(to, messages.KnownHash(payload)) {
		return
	}
	if time.Now().Before(r.caches.attached[to.address]) {
		return
	}
	r.net.send(r.Node, to, code, payload)
}

// recipients are the nodes of the validators of the sequence, or of those of the list.
func (r *raw) recipients(to []common.Address) []*Node {
	var members []common.Address
	for _, i := range r.net.members(r.machine.Status().Sequence) {
		members = append(members, r.net.nodes[i].address)
	}
	return slices.DeleteFunc(slices.Clone(r.net.nodes), func(other *Node) bool {
		return other == r.Node || !slices.Contains(members, other.address) || to != nil && !slices.Contains(to, other.address)
	})
}

// relay passes a message on as go-stablenet does, to the author too (spec wbft 4.4). A behavior relays nothing.
func (r *raw) relay(e core.Relay) {
	if r.Reference == nil {
		return
	}
	for _, other := range r.recipients(e.To) {
		r.sendOnce(other, e.Code, e.Payload)
	}
}

// judge judges a proposal.
func (r *raw) judge(block *types.Block) core.Validated {
	verdict := core.Validated{Hash: block.Hash()}
	r.net.observer.learn(block)
	if r.Reference != nil {
		if !r.Reference.takes(block) || r.bad[block.Hash()] {
			verdict.Err = errBounds
			return verdict
		}
		block = r.Reference.reads(block)
	}
	head := r.chain.head().Header()
	switch err := r.engine.VerifyProposal(r.chain, block.Header()); {
	case block.ParentHash() != head.Hash():
		verdict.Err, verdict.RetryAfter = errors.New("head has moved"), time.Second
	case errors.Is(err, consensus.ErrFutureBlock):
		verdict.Err, verdict.RetryAfter = err, max(time.Millisecond, r.engine.FutureBy(block.Header()))
	case err != nil:
		verdict.Err = err
	default:
		verdict.Err = r.net.execute(head, block)
	}
	return verdict
}

// build makes a candidate at the right time (spec wbft 6.1). Only proposers build here.
func (r *raw) build(e core.Build) {
	if !e.Proposer {
		return
	}
	delay := time.Duration(0)
	if e.Round == 0 {
		period := r.net.config.WBFTAt(e.Sequence).BlockPeriodSeconds
		delay = time.Unix(int64(r.chain.head().Time()+period), 0).Sub(r.clock())
	}
	r.later(max(delay, 0)+r.span("build", 5*time.Millisecond), func() {
		if r.Height()+1 != e.Sequence {
			return
		}
		if block := r.candidate(""); block != nil {
			r.step(core.Candidate{Block: block, Round: e.Round})
		}
	})
}

// candidate makes a block on the node's head; nil if it cannot.
func (r *raw) candidate(mark string) *types.Block {
	r.built++
	if mark == "" {
		mark = fmt.Sprintf("%d.%d.%d", r.id, r.incarnation, r.built)
	}
	var late wbft.LateSeals
	late.Round, late.Parent, late.Prepared, late.Committed = r.machine.LateSeals()
	r.engine.SetLateSeals(&late)
	parent := r.chain.head().Header()
	timestamp := max(parent.Time+r.net.config.WBFTAt(parent.Number.Uint64()+1).BlockPeriodSeconds,
		uint64(r.clock().Unix()))
	block, err := r.net.candidate(r.engine, r.chain, parent, r.address, timestamp, mark, r.transactions(r.built))
	if err != nil {
		r.net.fail("node %d cannot build a block: %v", r.id, err)
		return nil
	}
	r.net.observer.learn(block)
	return block
}

// commit writes a decided block and announces it.
func (r *raw) commit(block *types.Block) {
	if block.NumberU64() <= r.Height() {
		return // it came from a peer, and the machine has not been told yet
	}
	if r.Reference != nil && !r.Reference.takes(block) {
		// It was sealed by those that now refuse it. What it does with its lock was not seen: without it others decide.
		r.bad[block.Hash()] = true
		r.machine.(*reference).lock = nil
		r.net.note(r.id, "refuses the decided block %s", r.net.name(block.Hash()))
		return
	}
	if r.take(block) {
		if b, ok := r.Behavior.(*named); ok {
			b.spoil(r, block)
		}
		r.announce(block)
	}
}

// importBlocks takes blocks of others.
func (r *raw) importBlocks(blocks []*types.Block) {
	for _, block := range blocks {
		if block.ParentHash() != r.chain.head().Hash() || r.Reference != nil && !r.Reference.takes(block) ||
			r.net.observer.isSpoiled(block) {
			return
		}
		if !r.take(block) {
			return
		}
		if r.net.isCut() {
			r.announce(block)
		}
	}
}

func (r *raw) take(block *types.Block) bool {
	r.net.observer.decided(r.Node, block)
	if !r.chain.append(block) {
		return false
	}
	r.net.note(r.id, "takes block %s", r.net.name(block.Hash()))
	r.chain.sync(r.chain.length())
	if !block.Number().IsUint64() {
		return true // how the release goes on is not modeled: here it stands
	}
	r.later(r.span("head", 5*time.Millisecond), r.newHead)
	return true
}
