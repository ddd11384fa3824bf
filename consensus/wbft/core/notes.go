// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/messages"
)

// NoteKind is what a Note tells.
type NoteKind uint8

// The kinds of notes.
const (
	NoteRound     NoteKind = iota // a round was entered; Author proposes in it
	NoteState                     // the state of the round changed From -> To
	NoteStopped                   // the timer Timer was stopped
	NoteAccepted                  // the proposal Digest of Author was accepted
	NotePostponed                 // the proposal Digest has no verdict yet
	NoteQuorum                    // Count messages of kind Code are a quorum
	NoteJoin                      // Count validators are in later rounds, so that one of them is honest
	NoteKept                      // the message waits in the backlog
	NoteDue                       // a message of the backlog by Author is examined; From delivered it
	NoteLateSeal                  // a seal of Author over the head, of kind Code, was kept
	NoteRefused                   // the key must not sign a message of kind Code, which would contradict another one
	NoteInactive                  // the key signs nothing in this sequence
)

// Note tells of something inside of a step, in its place among the effects. It asks for nothing. Config.Notes turns
// notes on, which changes no other effect.
type Note struct {
	Kind         NoteKind
	View         messages.View
	Code         uint64
	Payload      []byte
	Digest       common.Hash
	Author, Peer common.Address
	From, To     State
	Timer        TimerKind
	Count        int
}

func (Note) isEffect() {}

// note adds a note, of the current view unless it names another one.
func (c *Core) note(n Note) {
	if !c.cfg.Notes {
		return
	}
	if n.View == (messages.View{}) {
		n.View = c.view()
	}
	c.emit(n)
}

// enter changes the state of the current round.
func (c *Core) enter(state State) {
	from := c.state
	c.state = state
	if from != state {
		c.note(Note{Kind: NoteState, From: from, To: state})
	}
}

// stopTimer ends the timer of a kind.
func (c *Core) stopTimer(kind TimerKind) {
	if c.timing.timers[kind].id != 0 {
		c.note(Note{Kind: NoteStopped, Timer: kind})
	}
	c.timing.stop(kind)
}

// stopTimers ends all timers.
func (c *Core) stopTimers() {
	for kind := range c.timing.timers {
		c.stopTimer(TimerKind(kind))
	}
}
