// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/messages"
)

// Effect is something the shell must do. The effects of one Step are carried out in order.
type Effect interface{ isEffect() }

// Persist asks for a durable record of something this node's key has signed. It precedes the Send of it.
type Persist struct{ Vote }

// Vote is one message this node's key has signed.
type Vote struct {
	Code     uint64      // message code, 0x12 to 0x15
	Sequence uint64      //
	Round    uint64      //
	Digest   common.Hash // what was voted for: the block hash; for a ROUND-CHANGE keccak of its signing payload
	Payload  []byte      // the message as sent
}

// PersistLock asks for a durable record of the prepared certificate this node is now locked on. It replaces the one
// before and precedes the COMMIT that depends on it.
type PersistLock struct {
	Sequence    uint64
	Round       uint64
	Certificate []byte // opaque; handed back in Restored
}

// Send sends an own message to validators, this node excepted.
type Send struct {
	Code    uint64
	Payload []byte
	To      []common.Address // nil for every validator of the current set
	Force   bool             // also to peers that were sent it or sent it before (spec wbft 9.2 no. 4)
}

// Relay passes a message of somebody else on to the validators that are not known to have it (spec wbft 4.4). One without receivers
// is to be put off by about RelayDelay and then given to Core.StillNeeded, which says to whom it should go.
type Relay struct {
	Code    uint64
	Payload []byte
	To      []common.Address // nil for those who turn out to need it

	// Of one without receivers.
	View    messages.View
	Author  common.Address
	offered *messages.RoundChange // instead of Payload: one whose certificate is proven in substance but was not looked at
}

// RelayDelay is how long a relay is put off. By then a network whose validators are connected with each other has seen the
// message itself and mostly decided.
const RelayDelay = 50 * time.Millisecond

// TimerKind tells the timers of the core apart. At most one of a kind runs.
type TimerKind uint8

const (
	RoundTimer    TimerKind = iota // ends the round; after a commit, the watchdog over the missing head
	RetryTimer                     // repeats the own ROUND-CHANGE
	ProposalTimer                  // examines a proposal from the future again
)

// SetTimer asks for a Timeout with this ID after Delay. It replaces the running timer of the same kind. A Timeout with
// an outdated ID does no harm.
type SetTimer struct {
	Kind  TimerKind
	ID    uint64
	Delay time.Duration
}

// Execute asks for the check of a proposal: header rules without its own seals, body, execution. To be answered with
// one Validated. The result should be kept until the head changes: Commit refers to it by the block's hash.
type Execute struct{ Block *types.Block }

// Commit hands out a decided block with its seals, to be written and announced. The core then waits for NewHead.
type Commit struct {
	Block   *types.Block     // sealed
	Round   uint64           // the round it was sealed in
	Holders []common.Address // validators that have voted for it in that round, or else for its parent: they have it, or have it coming
}

// Build asks for a candidate block for this sequence (spec wbft 6.1).
type Build struct {
	Sequence uint64
	Round    uint64
	Proposer bool // this node is the round's proposer, or will be before it would be long; others need no candidate
}

// Fault names a kind of misbehaviour.
type Fault string

const (
	ProposalEquivocation    Fault = "two proposals for one view"
	PrepareEquivocation     Fault = "two different PREPAREs for one view"
	CommitEquivocation      Fault = "two different COMMITs for one view"
	RoundChangeEquivocation Fault = "two different ROUND-CHANGEs for one view"
	InvalidSeal             Fault = "seal does not verify"
	InvalidProposal         Fault = "proposed block is invalid"
	ExcessiveProposal       Fault = "proposed block is above a bound" // no evidence: go-stablenet knows no such bounds
)

// Misbehaviour reports a validator that broke the rules, with the signed messages that show it.
type Misbehaviour struct {
	Kind     Fault
	Signer   common.Address
	Evidence [][]byte        // message payloads, oldest first
	Headers  []*types.Header // of the blocks that the messages name, as far as they are known here; none for proposals, which have them
}

// ForgottenCommit reports a validator that has sent a COMMIT, and a ROUND-CHANGE to a later round that claims neither that round
// prepared nor a later one. It accuses nobody: validators of the reference do so after a restart (spec wbft 5.10), and when one
// of their timers is stale (spec wbft 9.2 nos. 8, 9).
type ForgottenCommit struct {
	Signer   common.Address
	Evidence [][]byte        // the payloads of COMMIT and ROUND-CHANGE
	Headers  []*types.Header // of the block of the COMMIT, if it is known here
}

// StopSigning tells that this node's key has signed something that this node did not. From then on the core signs nothing more,
// until a new process begins; it goes on following the chain.
type StopSigning struct {
	Reason   string
	Evidence [][]byte // message payloads: what this node signed, if anything, then what it did not
}

// Silence tells that the network has decided blocks without a sign of life of a validator, or that it is heard again.
type Silence struct {
	Validator common.Address
	Since     uint64 // sequence in which it was last heard
	Silent    bool
}

// BadDelivery tells that a peer delivered something that is expensive to examine and wrong in a part that the author of the
// message has not signed. It is evidence against the peer that passed it on, if against anybody.
type BadDelivery struct {
	From   common.Address // zero if unknown, or no validator
	Reason string
}

// Cause is why a message was dropped, as far as it is counted by cause.
type Cause string

const (
	CauseLate      Cause = "late"      // of a view that is over, or a copy of what is known
	CauseEarly     Cause = "early"     // of a view too far ahead, or without room to wait
	CauseMalformed Cause = "malformed" // not a message of its kind
	CauseBlock     Cause = "block"     // its block is none for this sequence and head
	CauseBound     Cause = "bound"     // above a bound that proposals and messages have
	CauseAuthor    Cause = "author"    // its author is not one that has a say
	CauseRefused   Cause = "refused"   // wrong in a part that is costly to examine
	CauseDeliverer Cause = "deliverer" // its deliverer has delivered too much of no use
)

// Dropped tells that an event had no effect, and why. For metrics and logs.
type Dropped struct {
	Reason string
	Cause  Cause // empty for ordinary reasons
}

// Disconnect asks for the end of the connection to a peer that has itself delivered a message that it has signed and no honest
// validator signs. The peer may connect again.
type Disconnect struct {
	Peer   common.Address
	Reason string
}

// Failed tells that this node could not do its part, for example because its key could not sign.
type Failed struct{ Err error }

func (Persist) isEffect()         {}
func (PersistLock) isEffect()     {}
func (Send) isEffect()            {}
func (Relay) isEffect()           {}
func (SetTimer) isEffect()        {}
func (Execute) isEffect()         {}
func (Commit) isEffect()          {}
func (Build) isEffect()           {}
func (Misbehaviour) isEffect()    {}
func (ForgottenCommit) isEffect() {}
func (StopSigning) isEffect()     {}
func (Silence) isEffect()         {}
func (BadDelivery) isEffect()     {}
func (Dropped) isEffect()         {}
func (Disconnect) isEffect()      {}
func (Failed) isEffect()          {}
