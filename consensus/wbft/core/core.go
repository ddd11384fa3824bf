// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/validators"
)

// Config is the node's identity and the one setting the network leaves to it.
type Config struct {
	Address common.Address // validator address, of the node key
	// Sign returns the 65-byte signature R || S || V, V in {0, 1}, over keccak(payload) (spec wbft 2.3). It must be
	// deterministic.
	Sign func(payload []byte) ([]byte, error)
	// Seal returns the 96-byte BLS signature over the digest (spec wbft 2.4).
	Seal func(digest [32]byte) []byte
	// DefaultMaxTimeout caps the round timer where the network sets no cap; 0 for no cap. It does not shorten the timer
	// of round 0.
	DefaultMaxTimeout time.Duration
}

// Core is the state machine of one node. It is not safe for concurrent use: one goroutine owns it.
type Core struct {
	cfg     Config
	now     time.Time // of the Step in progress
	effects []Effect  // of the Step in progress

	head     *Head
	sequence uint64
	round    uint64
	state    State
	index    int // of this node in the current set; -1 outside
	proposer common.Address

	rounds    map[uint64]*roundState      // of this sequence: the current one and those that were left lately
	executed  map[common.Hash]bool        // blocks of this sequence that keep every rule
	executing map[common.Hash]bool        // blocks of this sequence under way in the shell
	candidate *Candidate                  // newest own block of this sequence
	lock      *certificate                // latest prepared certificate of this sequence
	changes   map[uint64]*changeSet       // ROUND-CHANGEs by target round, from the current round up
	signed    record                      // what this key has signed
	restored  map[uint64]RestoredSequence // from the log, by sequence; those that have not begun
	floor     uint64                      // in sequences below it nothing is signed
	stopped   bool                        // the key is in use elsewhere: nothing is signed any more
	complete  bool                        // the record lacks nothing that the key has signed on this chain
	since     uint64                      // or nothing since this time, in seconds
	lost      bool                        // and the key has signed something before that
	doubts    map[recordKey]common.Hash   // votes of this sequence that may be from before a log was lost, by view
	forgetful map[int]bool                // validators of this sequence whose ROUND-CHANGE had forgotten their COMMIT
	heard     map[common.Address]uint64   // validators of this sequence, and in which sequence each was last heard
	silent    map[common.Address]bool     // of them, those that were said to be silent; only true
	parted    map[common.Address]parting  // validators to which the connection has ended, until they are heard again
	hasty     bool                        // the round timer is cut short because the proposer is absent
	fullTurn  time.Time                   // when it would end otherwise
	gaps      map[gap]bridge              // who is known not to hear whom
	answers   map[common.Address]bool     // who has voted for this node's last proposal that was decided
	restated  map[int]restatement         // of the own ROUND-CHANGE, by validator index
	asked     bool                        // a candidate was asked for in this sequence ...
	ahead     uint64                      // ... for this node's turn in this round
	prior     *priorSequence              // the sequence before, for late seals

	blocks       blocks                    // proposals of this sequence that have passed the gate
	certificates map[certKey]*certificate  // of this sequence that were verified
	proven       map[provenKey]int         // PREPAREs of this sequence that are known to be good, with their sender's index
	suspects     map[common.Address]uint64 // validators that sent a bad seal lately, and until which sequence that is remembered
	deliverer    common.Address            // of the message in progress
	deliveries   deliveries                // what was wrong with those of this sequence

	backlog   *backlog
	timers    [timerKinds]timer
	pace      pace
	lastTimer uint64
}

// New returns a core that waits for its first NewHead.
func New(cfg Config) *Core {
	return &Core{
		cfg:        cfg,
		index:      -1,
		backlog:    newBacklog(),
		signed:     newRecord(0),
		restored:   make(map[uint64]RestoredSequence),
		suspects:   make(map[common.Address]uint64),
		parted:     make(map[common.Address]parting),
		gaps:       make(map[gap]bridge),
		deliveries: newDeliveries(),
	}
}

// Step handles one event at the given time and returns what is to be done, in order.
func (c *Core) Step(now time.Time, ev Event) []Effect {
	if c.now, c.effects = now, nil; c.since == 0 {
		c.since = uint64(max(now.Unix(), 0))
	}
	if head, ok := ev.(NewHead); ok {
		c.onNewHead(head.Head)
	} else if c.head == nil {
		c.drop("no chain head yet")
	} else {
		switch ev := ev.(type) {
		case Message:
			c.onMessage(ev)
		case Timeout:
			c.onTimeout(ev.ID)
		case Candidate:
			c.onCandidate(ev)
		case Validated:
			c.onValidated(ev)
		case PeerConnected:
			c.onPeerConnected(ev.Address)
		case PeerLost:
			c.onPeerLost(ev.Address)
		}
	}
	c.examineBacklog()
	effects := c.effects
	c.effects = nil
	return effects
}

func (c *Core) drop(reason string) { c.emit(Dropped{Reason: reason}) }

func (c *Core) dropFor(cause Cause, reason string) { c.emit(Dropped{Reason: reason, Cause: cause}) }

func (c *Core) accuse(kind Fault, signer common.Address, evidence ...[]byte) {
	c.emit(Misbehaviour{Kind: kind, Signer: signer, Evidence: evidence})
}

// set is the validator set of the current sequence.
func (c *Core) set() *validators.Set { return c.head.Set }

// isValidator tells whether this node is in the current set.
func (c *Core) isValidator() bool { return c.index >= 0 }

func (c *Core) isProposer() bool { return c.isValidator() && c.proposer == c.cfg.Address }

// proposerOf is the proposer of a round of the current sequence.
func (c *Core) proposerOf(round uint64) common.Address {
	return c.set().Proposer(c.head.Params.Policy, lastProposer(c.head.Header), round)
}

func (c *Core) view() messages.View { return messages.View{Sequence: c.sequence, Round: c.round} }

// onMessage takes a message from the network apart, as far as that costs nothing, and admits it.
func (c *Core) onMessage(ev Message) {
	c.deliverer = ev.From
	switch {
	case !c.mayDecode(ev.From, len(ev.Payload)):
		c.dropFor(CauseDeliverer, "large message of a deliverer whose own fail")
		return
	case !c.mayScreen(len(ev.Payload)):
		c.dropFor(CauseDeliverer, "large message of a deliverer whose large messages come to nothing")
		return
	}
	env, err := messages.Open(ev.Code, ev.Payload)
	if err != nil {
		c.useless(len(ev.Payload), CauseMalformed, "malformed message: "+err.Error())
		return
	}
	if !c.hears(ev.From, env.View.Sequence, len(ev.Payload)) {
		c.drop("delivered by a node that is no validator")
		return
	}
	c.admit(env)
}

// maxStrangerMessage bounds messages in bytes that come from nodes outside the set, who may be validators of the next epoch or of the
// last: all votes fit, and ROUND-CHANGEs without a block. A proposal is repeated once its author is known.
const maxStrangerMessage = 64 << 10

// hears tells whether a node may deliver a message of a sequence and size, an own one or that of others: only validators do, the sets of
// this sequence and the one before are known, and to look at the deliverer costs nothing compared with recovering the author. A
// deliverer that is not known counts as one of them.
func (c *Core) hears(from common.Address, sequence uint64, size int) bool {
	switch {
	case from == (common.Address{}), c.set().Contains(from):
		return true
	case size > maxStrangerMessage:
		return false
	case sequence < c.sequence:
		return c.prior != nil && c.prior.set.Contains(from)
	}
	return sequence > c.sequence
}

// examineBacklog handles every kept message whose view has come. Each pass empties what is due, so it ends.
func (c *Core) examineBacklog() {
	for c.head != nil {
		due := c.backlog.take(c.view())
		if len(due) == 0 {
			return
		}
		for _, e := range due {
			c.deliverer = e.from
			c.admit(e.envelope)
		}
	}
}

// onPeerConnected gives a newly reachable validator this node's own messages of the current view, and the latest ROUND-CHANGE of each
// of the others. They stay in their rounds and repeat themselves to their own peers only: who is connected to none of them, and came
// after this node had relayed what they said, would never hear it.
func (c *Core) onPeerConnected(address common.Address) {
	if !c.isValidator() || address == c.cfg.Address || !c.set().Contains(address) {
		return
	}
	for _, code := range []uint64{
		messages.CodeRoundChange, messages.CodePrePrepare, messages.CodePrepare, messages.CodeCommit,
	} {
		if v, ok := c.signed.get(code, c.round); ok && len(v.Payload) > 0 {
			c.emit(Send{Code: code, Payload: v.Payload, To: []common.Address{address}, Force: true})
		}
	}
	for i, round := range c.latestRounds() {
		set := c.changes[round]
		if i == c.index || set == nil || set.bySender[i] == nil || c.set().At(i).Address == address {
			continue
		}
		c.emit(Relay{Code: messages.CodeRoundChange, Payload: set.bySender[i].encode(), To: []common.Address{address}})
	}
}

// Status is a snapshot for RPC and metrics.
type Status struct {
	Sequence     uint64         `json:"sequence"`
	Round        uint64         `json:"round"`
	State        State          `json:"state"`
	Validator    bool           `json:"validator"` // this node is in the current set
	Proposer     common.Address `json:"proposer"`  // of the current view
	Proposal     common.Hash    `json:"proposal"`  // accepted proposal of the current round, zero if none
	Quorum       int            `json:"quorum"`
	Prepares     int            `json:"prepares"`     // senders of PREPAREs for the proposal in the current round
	Commits      int            `json:"commits"`      // senders of COMMITs for the proposal in the current round
	RoundChanges int            `json:"roundChanges"` // senders of ROUND-CHANGEs to the current round
	HigherRounds int            `json:"higherRounds"` // distinct senders of ROUND-CHANGEs to higher rounds
	Locked       bool           `json:"locked"`
	LockedRound  uint64         `json:"lockedRound"`
	LockedBlock  common.Hash    `json:"lockedBlock"`
	Backlog      int            `json:"backlog"` // early messages kept

	// Silent are the validators without a sign of life of which the network has decided the last blocks, as far as is known here.
	Silent []common.Address `json:"silent"`
	// Parted are the validators whose connection with this node has ended and that it has not heard since.
	Parted []common.Address `json:"parted"`
}

// Status returns the current snapshot; the zero Status before the first head.
func (c *Core) Status() Status {
	if c.head == nil {
		return Status{}
	}
	s := Status{
		Sequence:  c.sequence,
		Round:     c.round,
		State:     c.state,
		Validator: c.isValidator(),
		Proposer:  c.proposer,
		Quorum:    c.set().Quorum(),
		Backlog:   c.backlog.len(),
		Silent:    listMembers(c.set(), c.silent),
		Parted:    listMembers(c.set(), c.parted),
	}
	rs := c.rounds[c.round]
	if rs.block != nil {
		s.Proposal = rs.digest
		s.Prepares, s.Commits = rs.prepares.count(rs.digest), rs.commits.count(rs.digest)
	}
	if set := c.changes[c.round]; set != nil {
		s.RoundChanges = set.count
	}
	s.HigherRounds, _ = c.higherRounds()
	if c.lock != nil {
		s.Locked, s.LockedRound, s.LockedBlock = true, c.lock.round, c.lock.digest
	}
	return s
}

// pendingRounds returns the keys of a round map in ascending order.
func pendingRounds[V any](m map[uint64]V) []uint64 {
	keys := make([]uint64, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// lastProposer is the coinbase of the head, zero for genesis (spec wbft 3.3).
func lastProposer(head *types.Header) common.Address {
	if head.Number.Sign() == 0 {
		return common.Address{}
	}
	return head.Coinbase
}
