// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/validators"
)

// Event is something that happened outside and that Step reacts to.
type Event interface{ isEvent() }

// Params are the settings in force for one sequence (spec wbft 8.2).
type Params struct {
	BlockPeriod       time.Duration // from a block to the next; 0 where blocks are made on demand
	RequestTimeout    time.Duration // base of the round timer, > 0
	MaxRequestTimeout time.Duration // cap of the round timer; 0 if the network sets none
	Policy            uint64        // proposer policy: 0 round robin, 1 sticky (spec wbft 3.3)
}

// Head is the chain's head and what follows from it for the next sequence.
type Head struct {
	Header *types.Header   // as stored, with its own seals; for the genesis block without
	Set    *validators.Set // set of block Header.Number + 1
	Params Params          // settings of block Header.Number + 1
}

// NewHead tells that the chain's head is now this one, however it got there. The same head again makes the core repeat
// what it waits for (timers, a verdict, a candidate), in case the shell was away; a head below the current sequence is
// ignored (spec wbft 5.3).
type NewHead struct{ Head }

// Message is a consensus message that a peer delivered.
type Message struct {
	Code    uint64         // relative code, 0x12 to 0x15 (spec wbft 4.1)
	Payload []byte         // devp2p payload; must not be changed afterwards
	From    common.Address // the peer that delivered it, zero if unknown; the author is recovered from the signature
}

// Timeout tells that the delay of the timer with this ID has passed.
type Timeout struct{ ID uint64 }

// Candidate is the node's own block for the current sequence, in its unsealed form (spec wbft 5.6).
type Candidate struct {
	Block *types.Block
	Round uint64 // the round it was built for
}

// Validated answers Execute.
type Validated struct {
	Hash       common.Hash
	Err        error         // nil if the block keeps every rule of spec wbft 7 except its own seals, and executes
	Local      bool          // with Err: the check failed for a reason that lies in this node; it says nothing about the block
	RetryAfter time.Duration // > 0 with Err: no verdict yet (timestamp ahead of the clock, head moving); ask again then
}

// PeerConnected tells that a peer is now reachable. It is sent what this node has to say in the current view.
type PeerConnected struct{ Address common.Address }

// PeerLost tells that the connection to a peer has ended.
type PeerLost struct{ Address common.Address }

func (NewHead) isEvent()       {}
func (Message) isEvent()       {}
func (Timeout) isEvent()       {}
func (Candidate) isEvent()     {}
func (Validated) isEvent()     {}
func (PeerConnected) isEvent() {}
func (PeerLost) isEvent()      {}
