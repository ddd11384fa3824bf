// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"errors"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/messages"
)

// onMessage opens a message from the network, as far as that is cheap, and admits it.
func (c *Core) onMessage(ev Message) {
	c.deliverer = ev.From
	switch {
	case !c.mayDecode(ev.From, len(ev.Payload)):
		c.dropUnopened("large message of a deliverer whose own messages fail")
		return
	case !c.mayScreen(len(ev.Payload)):
		c.dropUnopened("large message of a deliverer whose large messages are useless")
		return
	}
	env, err := messages.Open(ev.Code, ev.Payload)
	if err != nil {
		c.useless(len(ev.Payload), CauseMalformed, "malformed message: "+err.Error())
		return
	}
	if !c.mayDeliver(ev.From, env.View.Sequence, len(ev.Payload)) {
		c.drop("delivered by a node that is no validator")
		return
	}
	c.admit(env)
}

// mayDeliver reports whether a node may deliver a message of a sequence and size. Only validators may, in sequences
// whose set is known, because the author of a message is costly to recover. An unknown deliverer counts as one.
func (c *Core) mayDeliver(from common.Address, sequence uint64, size int) bool {
	switch {
	case from == (common.Address{}), c.set().Contains(from):
		return true
	case size > messages.MaxSmall:
		return false
	case sequence < c.sequence:
		return c.prior != nil && c.prior.set.Contains(from)
	}
	return sequence > c.sequence
}

// examineBacklog admits the kept messages whose view has come. Each pass removes them, so it ends.
func (c *Core) examineBacklog() {
	for c.head != nil {
		due := c.backlog.take(c.view())
		if len(due) == 0 {
			return
		}
		for _, e := range due {
			c.deliverer = e.from
			c.note(Note{
				Kind: NoteDue, View: e.view, Code: e.code, Payload: e.envelope.Payload, Author: e.sender, Peer: e.from,
			})
			c.admit(e.envelope)
		}
	}
}

// admit decides by the view what becomes of a message (spec wbft 5.4). Cheap checks come first. It differs from
// go-stablenet in compatible ways, which docs/consensus.md lists.
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

// admitCurrent admits a message of the current sequence. The justification of a proposal of a later round shows that
// its time has come. Votes of rounds that were left still count towards a decision.
func (c *Core) admitCurrent(env *messages.Envelope) {
	round := env.View.Round
	switch env.Code {
	case messages.CodeRoundChange:
		c.admitRoundChange(env)
	case messages.CodePrePrepare:
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

// admitVote admits a PREPARE or COMMIT of the current round or of one that was left.
func (c *Core) admitVote(env *messages.Envelope) {
	sender, index, ok := c.member(env)
	if !ok {
		return
	}
	if m := env.Vote(); c.isForHandlers(sender, m, env.Payload) {
		c.onVote(m, env.Payload, index)
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
		c.refuse(sender, "proposal of a validator that is not the proposer")
		return
	}
	if v, known := c.signer.Signed(env.Code, env.View.Round); sender == c.cfg.Address && known && v.Digest == digest {
		c.drop("echo of an own message")
		return
	}
	m, err := env.Decode(c.certs.blocks.find)
	if err != nil {
		c.disprove(sender, env.View.Round, env.Justified, "proposal: "+err.Error())
		return
	}
	if c.isForHandlers(sender, m, env.Payload) {
		c.onPrePrepare(m.(*messages.PrePrepare), env.Payload, sender)
	}
}

// admitRoundChange admits a ROUND-CHANGE of this sequence. Its signed part decides, but for the certificate.
func (c *Core) admitRoundChange(env *messages.Envelope) {
	round := env.View.Round
	if round < c.round {
		c.answerBehind(env)
		c.dropFor(CauseLate, "old round")
		return
	}
	if set := c.roundChanges[round]; set != nil && set.has(env.Change) {
		c.drop("duplicate ROUND-CHANGE") // it is repeated every other second, so its signer is not recovered for that
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
	if v, known := c.signer.Signed(env.Code, round); own && known &&
		v.Digest == crypto.Keccak256Hash(env.Change.SigningPayload()) {
		c.drop("echo of an own message")
		return
	}
	if env.Change.Prepared != nil && !c.mayExamine(sender) {
		c.dropFor(CauseDeliverer, "certificate of a deliverer whose certificates fail")
		return
	}
	if err := c.screenClaim(env); errors.Is(err, errDecided) {
		// A validator of go-stablenet may carry its certificate into the next sequence (spec wbft 5.3, 9.2 no. 9).
		c.useless(len(env.Payload), CauseLate, "ROUND-CHANGE: "+err.Error())
		return
	} else if err != nil {
		c.refuse(sender, "ROUND-CHANGE: "+err.Error())
		return
	}
	m, err := env.Decode(c.certs.blocks.find)
	if err != nil {
		c.refuse(sender, "malformed ROUND-CHANGE: "+err.Error()) // in a part that is not signed
		return
	}
	if c.isForHandlers(sender, m, env.Payload) {
		c.onRoundChange(m.(*messages.RoundChange), sender, index)
	}
}

// isForHandlers reports whether a message of this sequence goes to the handlers. An own message from outside does not,
// and is handled here. A node outside the set handles none.
func (c *Core) isForHandlers(sender common.Address, m messages.Message, payload []byte) bool {
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

// keep puts an early message into the backlog, undecoded. The author of one of the next sequence need not be in the
// current set: the next epoch may begin with it (spec wbft 9.2 no. 5).
func (c *Core) keep(env *messages.Envelope, window uint64) {
	content, ok := c.screenEarly(env)
	if !ok {
		return
	}
	sender, err := env.Signer()
	if err != nil {
		c.useless(len(env.Payload), CauseAuthor, "unrecoverable signature: "+err.Error())
		return
	}
	member := c.set().Contains(sender)
	if !member && env.View.Sequence == c.sequence {
		c.useless(len(env.Payload), CauseAuthor, "signer is not a validator")
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
		backlogKey: backlogKey{code: env.Code, view: env.View},
		envelope:   env,
		content:    content,
		size:       len(env.Payload),
		sender:     sender,
		from:       c.deliverer,
	}
	switch reason := c.backlog.add(e, !member, window); {
	case reason == "":
		c.note(Note{Kind: NoteKept, View: env.View, Code: env.Code, Author: sender})
	case reason == inBacklog || sender != c.deliverer:
		// Every node that relays the message delivers a copy, and cannot know what else its author has sent.
		c.dropFor(CauseEarly, reason)
	default:
		c.useless(e.size, CauseEarly, reason)
	}
}
