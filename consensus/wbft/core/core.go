// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"time"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/signing"
	"gwon/consensus/wbft/validators"
)

// Config holds the node's identity and the one setting that the network leaves to it.
type Config struct {
	// Address is the validator address, derived from the node key.
	Address common.Address
	// Sign gives a message its signature R || S || V over keccak(payload), V in {0, 1} (spec wbft 2.3), and a vote its
	// seal (spec wbft 2.4). It must be deterministic: receivers drop the copy of a message that is signed again.
	Sign func(signing.Intent) error
	// DefaultMaxTimeout caps the round timer where the network sets no cap; 0 means no cap.
	// The cap never shortens the timer of round 0; an unresponsive or disconnected proposer does, in any round.
	DefaultMaxTimeout time.Duration
	// Wall returns the wall clock's time of a step. With nil it is that of the time given to Step. A replay has both
	// apart.
	Wall func(step time.Time) time.Time
	// Strict has the core do nothing that go-stablenet does not: no timer is shortened or capped beyond the network's cap,
	// each round has a timer from its begin, every validator builds a block for each round, a message is relayed at once,
	// and the round timer restarts with the acceptance of a proposal (docs/consensus.md, Strict).
	Strict bool
	// Notes has Step add a Note where something happens that no other effect shows.
	Notes bool
}

// Core is the state machine of one node. One goroutine owns it.
type Core struct {
	cfg      Config
	now      time.Time // time of the current step
	effects  []Effect  // effects of the current step, in order
	delivery delivery  // of the message being handled; valid for messages only

	// The height.
	head     *Head
	sequence uint64
	index    int            // position of this node in the validator set; -1 outside of it
	prior    *priorSequence // the sequence that the head decided, for late seals

	// The current round.
	round    uint64
	state    State
	proposer common.Address
	timing   timing // its timers

	// All rounds of the sequence. onNewHead makes the maps.
	rounds       map[uint64]*roundState     // the current round, the last roundWindow before it, and that of the lock
	roundChanges map[uint64]*roundChangeSet // ROUND-CHANGEs by target round, from the current round up
	lock         *certificate               // the latest prepared certificate
	verdicts     map[common.Hash]verdict    // of proposals, by block hash
	candidate    ownCandidate

	// The three types that the handlers ask.
	signer   signer
	presence presence
	certs    certificates

	// Messages: those that come early, those that lead to nothing, those that need help to arrive.
	backlog    *backlog
	deliveries deliveries
	gaps       gaps
	restated   map[int]restatement // of the own ROUND-CHANGE, by validator index (restate.go); startRound makes it

	reportedForgotten map[int]bool // validators that findForgotten has reported, by index

	// For recordings (startstate.go).
	marking, resumed bool
	marked           *StartState
}

// New returns a core that waits for its first NewHead.
func New(cfg Config) *Core {
	return &Core{
		cfg:        cfg,
		index:      -1,
		signer:     newSigner(),
		presence:   newPresence(cfg.Address),
		certs:      certificates{suspects: make(map[common.Address]uint64)},
		backlog:    newBacklog(),
		deliveries: newDeliveries(),
		gaps:       gaps{bridges: make(map[gap]bridge)},
	}
}

// Step handles one event at the given time. It returns the effects to carry out, in order.
func (c *Core) Step(now time.Time, ev Event) []Effect {
	c.now, c.effects, c.delivery = now, nil, delivery{}
	c.signer.setStart(c.wall()) // has an effect in the first step only
	c.settle(c.handle(ev))
	c.examineBacklog() // any event can change the view, and messages of the new view wait there
	effects := c.effects
	c.effects = nil
	return effects
}

// handle gives an event to its handler. The rejection says why the event had no effect.
func (c *Core) handle(ev Event) *rejection {
	if head, ok := ev.(NewHead); ok {
		return c.onNewHead(head.Head)
	}
	if c.head == nil {
		return reject(ordinary, "no chain head yet")
	}
	switch ev := ev.(type) {
	case Message:
		return c.onMessage(ev)
	case Timeout:
		return c.onTimeout(ev.ID)
	case Candidate:
		return c.onCandidate(ev)
	case Validated:
		return c.onValidated(ev)
	case PeerConnected:
		c.onPeerConnected(ev.Address)
	case PeerLost:
		c.onPeerLost(ev.Address)
	}
	return nil
}

// wall returns the wall clock's time of the current step.
func (c *Core) wall() time.Time {
	if c.cfg.Wall != nil {
		return c.cfg.Wall(c.now)
	}
	return c.now
}

// emit adds an effect. A message above the size limit is replaced by a Failed effect. New own messages are checked by
// issue, before they are recorded; this check is for relayed, restated and restored ones.
func (c *Core) emit(e Effect) {
	switch m := e.(type) {
	case Send:
		if !fits(m.Payload) {
			e = c.unsendable(m.Code, m.Payload)
		}
	case Relay:
		if !fits(m.Payload) {
			e = c.unsendable(m.Code, m.Payload)
		}
	}
	c.effects = append(c.effects, e)
}

// accuse reports misbehavior of a validator.
func (c *Core) accuse(kind Fault, author common.Address, evidence ...[]byte) {
	c.emit(Misbehavior{Kind: kind, Author: author, Evidence: evidence})
}

// set returns the validator set of the current sequence.
func (c *Core) set() *validators.Set { return c.head.Set }

// isValidator reports whether this node is in the current set.
func (c *Core) isValidator() bool { return c.index >= 0 }

// isProposer reports whether this node proposes in the current round.
func (c *Core) isProposer() bool { return c.isValidator() && c.proposer == c.cfg.Address }

// proposerOf returns the proposer of a round of the current sequence.
func (c *Core) proposerOf(round uint64) common.Address {
	return c.set().Proposer(c.head.Params.Policy, validators.LastProposer(c.head.Header), round)
}

// view returns the current view.
func (c *Core) view() messages.View { return messages.View{Sequence: c.sequence, Round: c.round} }

// onPeerConnected sends a validator that became reachable this node's messages of the current view, and relays the
// latest ROUND-CHANGE of every other validator. Those repeat themselves to their own peers only.
func (c *Core) onPeerConnected(address common.Address) {
	if !c.isValidator() || address == c.cfg.Address || !c.set().Contains(address) {
		return
	}
	// In the order in which a round sends them. A record of the vote log without its message has no payload.
	for _, code := range []uint64{
		messages.CodeRoundChange, messages.CodePrePrepare, messages.CodePrepare, messages.CodeCommit,
	} {
		if v, ok := c.signer.Signed(code, c.round); ok && len(v.Payload) > 0 {
			c.emit(Send{Code: code, Payload: v.Payload, To: []common.Address{address}, Force: true})
		}
	}
	for i, round := range c.latestRounds() {
		changes := c.roundChanges[round]
		if i == c.index || changes == nil || changes.bySender[i] == nil || c.set().At(i).Address == address {
			continue
		}
		c.emit(Relay{
			Code: messages.CodeRoundChange, Payload: changes.bySender[i].encode(), To: []common.Address{address},
		})
	}
}
