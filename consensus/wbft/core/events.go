// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/validators"
)

// Event is something that happened outside of the core and that Step handles.
type Event interface{ isEvent() }

// Params are the settings in force for one sequence (spec wbft 8.2).
type Params struct {
	BlockPeriod       time.Duration // from a block to the next; 0 where blocks are made on demand
	RequestTimeout    time.Duration // base of the round timer, > 0
	MaxRequestTimeout time.Duration // cap of the round timer; 0 if the network sets none
	Policy            uint64        // proposer policy: 0 round robin, 1 sticky (spec wbft 3.3)
}

// Head is the chain's head with what follows from it for the next sequence.
type Head struct {
	Header *types.Header   // as stored, with its own seals; without seals for genesis
	Set    *validators.Set // set of block Header.Number + 1
	Params Params          // settings of block Header.Number + 1
}

// NewHead reports the chain's head, however the chain got there. The same head again makes the core repeat its
// requests (timers, a verdict, a candidate). A head below the current sequence is ignored (spec wbft 5.3).
type NewHead struct{ Head }

// Message is a consensus message that a peer delivered.
type Message struct {
	Code    uint64         // relative code, 0x12 to 0x15 (spec wbft 4.1)
	Payload []byte         // devp2p payload; must not be changed afterwards
	From    common.Address // deliverer, zero if unknown; the author is recovered from the signature
}

// Timeout reports that the delay of the timer with this ID has passed.
type Timeout struct{ ID uint64 }

// Candidate is the node's own block for the current sequence, without seals (spec wbft 5.6).
type Candidate struct {
	Block *types.Block
	Round uint64 // the round it was built for
}

// Validated answers Execute.
type Validated struct {
	Hash       common.Hash
	Err        error         // nil if the block executes and keeps every rule of spec wbft 7 but those of its seals
	Executed   bool          // with Err: only the execution has shown the fault
	Local      bool          // with Err and RetryAfter: this node could not check the block
	RetryAfter time.Duration // > 0 with Err: no verdict yet (future timestamp, head moving); check again then
}

// PeerConnected reports that a peer can be reached. It is sent this node's messages of the current view.
type PeerConnected struct{ Address common.Address }

// PeerLost reports that the connection to a peer has ended.
type PeerLost struct{ Address common.Address }

func (NewHead) isEvent()       {}
func (Message) isEvent()       {}
func (Timeout) isEvent()       {}
func (Candidate) isEvent()     {}
func (Validated) isEvent()     {}
func (PeerConnected) isEvent() {}
func (PeerLost) isEvent()      {}
