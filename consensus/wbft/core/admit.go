// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"errors"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

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

// admit decides by view what becomes of a message (spec wbft 5.4). Cheap checks come first: the view, then what its block shows
// undecoded, then who signed it, then membership; the handlers check for duplicates before they verify anything else.
//
// It differs from the table of the reference where that is compatible: votes of the current round that come before the
// proposal are counted at once instead of queued, votes of rounds that were left still count towards a commit, and a
// ROUND-CHANGE beyond the window is kept (one for each sender), so that a node far behind can join.
func (c *Core) admit(env *messages.Envelope) {
	view := env.View
	switch {
	case view.Sequence > c.sequence+1:
		c.dropFor(CauseEarly, "sequence too far ahead")
	case view.Sequence == c.sequence+1:
		if env.Code != messages.CodeRoundChange && view.Round > roundWindow {
			c.dropFor(CauseEarly, "round too far ahead")
			return
		}
		c.keep(env, roundWindow)
	case view.Sequence == c.sequence:
		c.admitCurrent(env)
	case view.Sequence+1 == c.sequence:
		c.admitPrior(env)
	default:
		c.dropFor(CauseLate, "old sequence")
	}
}

// admitCurrent admits a message of the current sequence.
func (c *Core) admitCurrent(env *messages.Envelope) {
	round := env.View.Round
	switch env.Code {
	case messages.CodeRoundChange:
		c.admitRoundChange(env)
	case messages.CodePrePrepare:
		// The justification of one of a later round shows by itself whether its time has come.
		if round < c.round {
			c.dropFor(CauseLate, "old round")
			return
		}
		c.admitProposal(env)
	default:
		switch {
		case round < c.round && c.rounds[round] == nil:
			c.dropFor(CauseLate, "old round")
		case round > c.round && round-c.round > roundWindow:
			c.dropFor(CauseEarly, "round too far ahead")
		case round > c.round:
			c.keep(env, c.round+roundWindow)
		default:
			c.admitVote(env)
		}
	}
}

func (c *Core) admitVote(env *messages.Envelope) {
	sender, index, ok := c.member(env)
	if !ok {
		return
	}
	switch m := env.Vote().(type) {
	case *messages.Prepare:
		if c.speaks(sender, m, env.Payload) {
			c.onPrepare(m, env.Payload, index)
		}
	case *messages.Commit:
		if c.speaks(sender, m, env.Payload) {
			c.onCommit(m, env.Payload, index)
		}
	}
}

// admitProposal admits a PRE-PREPARE of the current round or a later one.
func (c *Core) admitProposal(env *messages.Envelope) {
	digest, ok := c.screenProposal(env)
	if !ok {
		return
	}
	if !c.mayExamineProposal(c.proposerOf(env.View.Round), env.View.Round) {
		c.dropFor(CauseDeliverer, "proposal of a deliverer whose proposals fail")
		return
	}
	sender, _, ok := c.member(env)
	if !ok {
		return
	}
	if sender != c.cfg.Address && sender != c.proposerOf(env.View.Round) {
		c.refuse(sender, "proposal of somebody who is not the proposer")
		return
	}
	if v, known := c.signed.get(env.Code, env.View.Round); sender == c.cfg.Address && known && v.Digest == digest {
		c.drop("echo of an own message")
		return
	}
	m, err := env.Decode(c.blocks.find)
	if err != nil {
		c.disprove(sender, env.View.Round, env.Justified, "proposal: "+err.Error())
		return
	}
	if c.speaks(sender, m, env.Payload) {
		c.onPrePrepare(m.(*messages.PrePrepare), env.Payload, sender)
	}
}

// admitRoundChange admits a ROUND-CHANGE of this sequence. All but the certificate is decided by its signed part.
func (c *Core) admitRoundChange(env *messages.Envelope) {
	round := env.View.Round
	if round < c.round {
		c.answerBehind(env)
		c.dropFor(CauseLate, "old round")
		return
	}
	if set := c.changes[round]; set != nil && set.has(env.Change) {
		c.drop("duplicate ROUND-CHANGE") // it is repeated every other second: nobody recovers its signer for that
		return
	}
	sender, index, ok := c.member(env)
	if !ok {
		return
	}
	own := sender == c.cfg.Address
	if !own && c.isValidator() && !c.expectsRoundChange(env, index) {
		return
	}
	if v, known := c.signed.get(env.Code, round); own && known && v.Digest == crypto.Keccak256Hash(env.Change.SigningPayload()) {
		c.drop("echo of an own message")
		return
	}
	if env.Change.Prepared != nil && !c.mayExamine(sender) {
		c.dropFor(CauseDeliverer, "certificate of a deliverer whose certificates fail")
		return
	}
	if err := c.screenClaim(env); errors.Is(err, errDecided) {
		// A validator of the reference may carry its certificate into the next sequence (spec wbft 5.3, 9.2 no. 9).
		c.useless(len(env.Payload), CauseLate, "ROUND-CHANGE: "+err.Error())
		return
	} else if err != nil {
		c.refuse(sender, "ROUND-CHANGE: "+err.Error())
		return
	}
	m, err := env.Decode(c.blocks.find)
	if err != nil {
		c.refuse(sender, "malformed ROUND-CHANGE: "+err.Error()) // in a part that is not signed
		return
	}
	if c.speaks(sender, m, env.Payload) {
		c.onRoundChange(m.(*messages.RoundChange), sender, index)
	}
}

// speaks reports whether a message of this sequence is for the handlers: this node takes part, and it is not its own, which is handled here.
func (c *Core) speaks(sender common.Address, m messages.Message, payload []byte) bool {
	if sender == c.cfg.Address {
		c.onOwnMessage(m, payload)
		return false
	}
	if !c.isValidator() {
		c.drop("not a validator of this sequence")
		return false
	}
	return true
}

// member recovers the author of a message and finds it in the current set.
func (c *Core) member(env *messages.Envelope) (sender common.Address, index int, ok bool) {
	sender, err := env.Signer()
	if err != nil {
		c.useless(len(env.Payload), CauseAuthor, "unrecoverable signature: "+err.Error())
		return sender, 0, false
	}
	if index, ok = c.set().Index(sender); !ok {
		c.useless(len(env.Payload), CauseAuthor, "signer is not a validator")
		return sender, 0, false
	}
	c.hear(sender, env.Code, env.View)
	return sender, index, true
}

// keep puts an early message into the backlog, undecoded. For a later sequence the sender need not be in the set known here: the
// next epoch may begin with it (spec wbft 9.2 no. 5).
func (c *Core) keep(env *messages.Envelope, window uint64) {
	size := len(env.Payload)
	says := ""
	if vote := env.Vote(); vote != nil {
		says = said(vote)
	} else if c.excessiveLists(env) {
		c.useless(size, CauseMalformed, "early message has more beside its block than validators can have said")
		return
	} else if env.Block != nil {
		hash, err := c.screenAhead(env)
		if err != nil {
			c.useless(size, CauseBlock, "early block: "+err.Error())
			return
		}
		if env.Code == messages.CodePrePrepare {
			says = string(hash.Bytes())
		}
	}
	sender, err := env.Signer()
	if err != nil {
		c.useless(size, CauseAuthor, "unrecoverable signature: "+err.Error())
		return
	}
	member := c.set().Contains(sender)
	if !member && env.View.Sequence == c.sequence {
		c.useless(size, CauseAuthor, "signer is not a validator")
		return
	}
	if sender == c.cfg.Address {
		if vote := env.Vote(); vote != nil && env.View.Sequence == c.sequence {
			c.onOwnMessage(vote, env.Payload)
		} else {
			c.drop("own message of a later sequence")
		}
		return
	}
	c.hear(sender, env.Code, env.View)
	e := backlogEntry{
		backlogKey: backlogKey{code: env.Code, view: env.View}, envelope: env, says: says, size: size, sender: sender, from: c.deliverer,
	}
	switch reason := c.backlog.add(e, !member, window); {
	case reason == "":
	case reason == inBacklog || sender != c.deliverer:
		// Copies come from everybody that passes the message on, and who does cannot know what else its author has sent.
		c.dropFor(CauseEarly, reason)
	default:
		c.useless(size, CauseEarly, reason)
	}
}
