// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/signing"
)

// Effect is something that the driver must do. The effects of one step are carried out in order.
type Effect interface{ isEffect() }

// Persist asks for a durable record of a message that the key has signed. It precedes the Send of the message.
type Persist struct{ Vote }

// Vote is one message that the key has signed.
type Vote = signing.Vote

// PersistLock asks for a durable record of the prepared certificate that is this node's lock. It replaces the one
// before, and precedes the COMMIT that depends on it.
type PersistLock struct {
	Sequence    uint64
	Round       uint64
	Certificate []byte // opaque; comes back in Restored
}

// Send sends an own message to validators, except this node.
type Send struct {
	Code    uint64
	Payload []byte
	To      []common.Address // nil for every validator of the current set
	Force   bool             // also to peers that have sent it to this node, or were sent it before (spec wbft 9.2 no. 4)
}

// Relay sends a message of another validator to validators that are not known to have it (spec wbft 4.4). Without
// receivers it is deferred by about RelayDelay and given to Core.StillNeeded, which names them.
type Relay struct {
	Code    uint64
	Payload []byte
	To      []common.Address // nil for a deferred relay

	// View and Author describe the message of a deferred relay.
	View    messages.View
	Author  common.Address
	offered *messages.RoundChange // instead of Payload: its claim is proven, but its certificate is not verified

	Relayer common.Address // of a ROUND-CHANGE, as in Dropped
}

// RelayDelay is the delay of a deferred relay. In a connected network all validators have the message by then and have
// mostly decided, also where messages between them take 70 ms or where all share a machine.
const RelayDelay = 150 * time.Millisecond

// TimerKind names a timer of the core. At most one of a kind runs.
type TimerKind uint8

// The timers of the core.
const (
	RoundTimer    TimerKind = iota // ends the round; after a decision, the watchdog over the missing head
	RetryTimer                     // repeats the own ROUND-CHANGE
	ProposalTimer                  // examines a proposal from the future again
)

// SetTimer asks for a Timeout with this ID after Delay. It replaces the running timer of the same kind. A Timeout with
// an outdated ID has no effect.
type SetTimer struct {
	Kind  TimerKind
	ID    uint64
	Delay time.Duration
}

// Execute asks for the check of a proposal: header rules without its own seals, body, execution. One Validated answers
// it, unless Cancel takes it back. The result should be kept until the head changes, because Commit refers to it by the
// block's hash.
type Execute struct{ Block *types.Block }

// Cancel ends the execution of a proposal that no round needs any more. No Validated answers it or its Execute. The
// same block may be executed again later, from its beginning.
type Cancel struct{ Hash common.Hash }

// Commit hands out a decided block with its seals, to be written and announced. The core then waits for NewHead.
type Commit struct {
	Block   *types.Block     // sealed
	Round   uint64           // the round it was sealed in
	Holders []common.Address // validators that have the proposal or have it coming, by their votes
}

// Build asks for a candidate for this sequence (spec wbft 6.1).
type Build struct {
	Sequence uint64
	Round    uint64
	Proposer bool // this node proposes in the round or soon after; otherwise no candidate is needed
}

// Fault is a kind of misbehavior.
type Fault string

// The kinds of misbehavior. ExcessiveProposal has no evidence: go-stablenet knows no such bounds.
const (
	ProposalEquivocation    Fault = "two proposals for one view"
	PrepareEquivocation     Fault = "two different PREPAREs for one view"
	CommitEquivocation      Fault = "two different COMMITs for one view"
	RoundChangeEquivocation Fault = "two different ROUND-CHANGEs for one view"
	InvalidSeal             Fault = "seal does not verify"
	InvalidProposal         Fault = "proposed block is invalid"
	ExcessiveProposal       Fault = "proposed block is above a bound"
)

// Misbehavior reports a validator that broke the rules, with the signed messages that show it.
type Misbehavior struct {
	Kind     Fault
	Author   common.Address
	Evidence [][]byte        // message payloads, oldest first
	Headers  []*types.Header // known headers of the blocks that votes and ROUND-CHANGEs name
}

// ForgottenCommit reports a validator that has sent a COMMIT, and a ROUND-CHANGE to a later round that claims no
// prepared round as high. It accuses no validator: those of go-stablenet do so after a restart (spec wbft 5.10), and
// after a stale timer (spec wbft 9.2 nos. 8, 9).
type ForgottenCommit struct {
	Author   common.Address
	Evidence [][]byte        // payloads of COMMIT and ROUND-CHANGE
	Headers  []*types.Header // of the block of the COMMIT, if it is known
}

// StopSigning reports that the key has signed a message that this node did not, or that an invariant of the core is
// broken. The core signs nothing until a new process begins. It keeps following the chain.
type StopSigning struct {
	Reason   string
	Evidence [][]byte // message payloads: the one that this node signed, if any, then the foreign one, if any
}

// Probation reports that a proposal of a validator was refused by its execution here. In sequences before Until its
// proposals are executed only once other validators have prepared them.
type Probation struct {
	Validator common.Address
	Until     uint64
}

// PresenceChange reports that a validator has become unresponsive, or is heard again.
type PresenceChange struct {
	Validator    common.Address
	LastHeard    uint64 // sequence with its latest sign of life
	Unresponsive bool
}

// BadDelivery reports that a peer delivered a message that is costly to examine and wrong in a part that its author
// has not signed. At most the deliverer is to blame.
type BadDelivery struct {
	From   common.Address // zero if unknown, or no validator
	Reason string
}

// Cause is the reason to drop a message, as far as it is counted.
type Cause string

// The causes that are counted.
const (
	CauseLate      Cause = "late"      // of a view that is over, or a copy
	CauseEarly     Cause = "early"     // of a view too far ahead, or without room to wait
	CauseMalformed Cause = "malformed" // not a message of its kind
	CauseBlock     Cause = "block"     // its block is not for this sequence and head
	CauseBound     Cause = "bound"     // above a bound of proposals or messages
	CauseAuthor    Cause = "author"    // its author has no vote
	CauseRefused   Cause = "refused"   // wrong in a part that is costly to examine
	CauseDeliverer Cause = "deliverer" // its deliverer has sent too many useless messages
)

// Dropped reports that an event had no effect, for metrics and logs.
type Dropped struct {
	Reason   string
	Cause    Cause // empty for ordinary reasons
	Unopened bool  // of a message, only its size and deliverer were looked at

	// Relayer is the deliverer of a message that another validator has signed; zero for none. It did not choose to cost
	// this node a recovery. For each signature it is set once in a sequence.
	Relayer common.Address
}

// Disconnect asks for the end of the connection to a peer that delivered a message of its own which no honest
// validator signs. The peer may connect again.
type Disconnect struct {
	Peer   common.Address
	Reason string
}

// Failed reports that this node could not do its part, for example because its key could not sign.
type Failed struct{ Err error }

func (Persist) isEffect()         {}
func (PersistLock) isEffect()     {}
func (Send) isEffect()            {}
func (Relay) isEffect()           {}
func (SetTimer) isEffect()        {}
func (Execute) isEffect()         {}
func (Cancel) isEffect()          {}
func (Commit) isEffect()          {}
func (Build) isEffect()           {}
func (Misbehavior) isEffect()     {}
func (ForgottenCommit) isEffect() {}
func (StopSigning) isEffect()     {}
func (Probation) isEffect()       {}
func (PresenceChange) isEffect()  {}
func (BadDelivery) isEffect()     {}
func (Dropped) isEffect()         {}
func (Disconnect) isEffect()      {}
func (Failed) isEffect()          {}
