// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/messages"
)

// State is how far the current round has come (spec wbft 5.1).
type State uint8

const (
	AcceptRequest State = iota // waits for a proposal, or for its execution
	PrePrepared                // has accepted one and sent PREPARE
	Prepared                   // has seen a quorum of PREPAREs and sent COMMIT
	Committed                  // has seen a quorum of COMMITs; waits for the head
)

// String returns the state's name.
func (s State) String() string {
	switch s {
	case AcceptRequest:
		return "accept request"
	case PrePrepared:
		return "preprepared"
	case Prepared:
		return "prepared"
	case Committed:
		return "committed"
	}
	return "unknown"
}

// admit decides by view what becomes of a decoded message (spec wbft 5.4). Cheap checks come first: the view, then who
// signed it, then membership; the handlers check for duplicates before they verify anything else.
//
// It differs from the table of the reference where that is compatible: votes of the current round that come before the
// proposal are counted at once instead of queued, votes of rounds that were left still count towards a commit, and a
// ROUND-CHANGE beyond the window is kept (one for each sender), so that a node far behind can join.
func (c *Core) admit(m messages.Message, payload []byte) {
	view := m.View()
	switch {
	case view.Sequence > c.sequence+1:
		c.drop("sequence too far ahead")
	case view.Sequence == c.sequence+1:
		if m.Code() != messages.CodeRoundChange && view.Round > roundWindow {
			c.drop("round too far ahead")
			return
		}
		c.keep(m, payload, roundWindow)
	case view.Sequence == c.sequence:
		c.admitCurrent(m, payload)
	case view.Sequence+1 == c.sequence:
		c.admitPrior(m, payload)
	default:
		c.drop("old sequence")
	}
}

// admitCurrent admits a message of the current sequence.
func (c *Core) admitCurrent(m messages.Message, payload []byte) {
	view := m.View()
	if m.Code() == messages.CodeRoundChange {
		if view.Round < c.round {
			c.drop("old round")
			return
		}
		if set := c.changes[view.Round]; set != nil && set.has(m) {
			c.drop("duplicate ROUND-CHANGE") // it is repeated every other second: nobody recovers its signer for that
			return
		}
	} else {
		switch {
		case view.Round < c.round && (m.Code() == messages.CodePrePrepare || c.rounds[view.Round] == nil):
			c.drop("old round")
			return
		case view.Round > c.round && m.Code() == messages.CodePrePrepare:
			// Its justification shows by itself whether its time has come.
		case view.Round > c.round && view.Round-c.round > roundWindow:
			c.drop("round too far ahead")
			return
		case view.Round > c.round:
			c.keep(m, payload, c.round+roundWindow)
			return
		}
	}
	sender, index, ok := c.member(m)
	if !ok {
		return
	}
	if sender == c.cfg.Address {
		c.onOwnMessage(m, payload)
		return
	}
	if !c.isValidator() {
		c.drop("not a validator of this sequence")
		return
	}
	switch m := m.(type) {
	case *messages.PrePrepare:
		c.onPrePrepare(m, payload, sender)
	case *messages.Prepare:
		c.onPrepare(m, payload, index)
	case *messages.Commit:
		c.onCommit(m, payload, index)
	case *messages.RoundChange:
		c.onRoundChange(m, sender, index)
	}
}

// member recovers the author of a message and finds it in the current set.
func (c *Core) member(m messages.Message) (sender common.Address, index int, ok bool) {
	sender, err := m.Signer()
	if err != nil {
		c.drop("unrecoverable signature: " + err.Error())
		return sender, 0, false
	}
	if index, ok = c.set().Index(sender); !ok {
		c.drop("signer is not a validator")
		return sender, 0, false
	}
	c.hear(sender, m)
	return sender, index, true
}

// keep puts an early message into the backlog. For a later sequence the sender need not be in the set known here: the
// next epoch may begin with it (spec wbft 9.2 no. 5).
func (c *Core) keep(m messages.Message, payload []byte, window uint64) {
	sender, err := m.Signer()
	if err != nil {
		c.drop("unrecoverable signature: " + err.Error())
		return
	}
	member := c.set().Contains(sender)
	if !member && m.View().Sequence == c.sequence {
		c.drop("signer is not a validator")
		return
	}
	if sender == c.cfg.Address {
		if m.View().Sequence == c.sequence {
			c.onOwnMessage(m, payload)
		} else {
			c.drop("own message of a later sequence")
		}
		return
	}
	c.hear(sender, m)
	e := backlogEntry{message: m, payload: payload, sender: sender, from: c.deliverer}
	if reason := c.backlog.add(e, !member, window); reason != "" {
		c.drop(reason)
	}
}
