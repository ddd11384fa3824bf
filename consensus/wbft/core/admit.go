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
func (c *Core) onMessage(ev Message) *rejection {
	c.delivery = delivery{from: ev.From, size: len(ev.Payload)}
	switch {
	case !c.mayDecode(ev.From, len(ev.Payload)):
		return reject(unopened, "large message of a deliverer whose own messages fail")
	case !c.mayScreen(len(ev.Payload)):
		return reject(unopened, "large message of a deliverer whose large messages are useless")
	}
	env, err := messages.Open(ev.Code, ev.Payload)
	if err != nil {
		return reject(malformed, "malformed message: "+err.Error())
	}
	c.delivery.envelope = env
	if !c.mayDeliver(ev.From, env.View.Sequence, len(ev.Payload)) {
		return reject(ordinary, "delivered by a node that is no validator")
	}
	return c.admit(env)
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
			c.delivery = delivery{e.from, e.size, e.envelope}
			c.note(Note{
				Kind: NoteDue, View: e.view, Code: e.code, Payload: e.envelope.Payload, Author: e.sender, Peer: e.from,
			})
			c.settle(c.admit(e.envelope))
		}
	}
}

// admit decides by the view what becomes of a message (spec wbft 5.4). Cheap checks come first. It differs from
// go-stablenet in compatible ways, which docs/consensus.md lists.
func (c *Core) admit(env *messages.Envelope) *rejection {
	view := env.View
	switch {
	case view.Sequence > c.sequence+1:
		return reject(early, "sequence too far ahead")
	case view.Sequence == c.sequence+1:
		if env.Code != messages.CodeRoundChange && view.Round > roundWindow {
			return reject(early, "round too far ahead")
		}
		return c.keep(env, roundWindow)
	case view.Sequence == c.sequence:
		return c.admitCurrent(env)
	case view.Sequence+1 == c.sequence:
		return c.admitPrior(env)
	}
	return reject(late, "old sequence")
}

// admitCurrent admits a message of the current sequence. The justification of a proposal of a later round shows that
// its time has come. Votes of rounds that were left still count towards a decision.
func (c *Core) admitCurrent(env *messages.Envelope) *rejection {
	round := env.View.Round
	if env.Code == messages.CodeRoundChange {
		return c.admitRoundChange(env)
	}
	isProposal := env.Code == messages.CodePrePrepare
	switch {
	case round < c.round && (isProposal || c.rounds[round] == nil):
		return reject(late, "old round")
	case isProposal:
		return c.admitProposal(env)
	case round > c.round && round-c.round > roundWindow:
		return reject(early, "round too far ahead")
	case round > c.round:
		return c.keep(env, c.round+roundWindow)
	}
	sender, index, r := c.member(env)
	if r != nil {
		return r
	}
	return c.dispatch(env.Vote(), env.Payload, sender, index)
}

// admitProposal admits a PRE-PREPARE of the current round or a later one.
func (c *Core) admitProposal(env *messages.Envelope) *rejection {
	digest, r := c.screenProposal(env)
	if r != nil {
		return r
	}
	if !c.mayExamineProposal(c.proposerOf(env.View.Round), env.View.Round) {
		return reject(barred, "proposal of a deliverer whose proposals fail")
	}
	sender, index, r := c.member(env)
	if r != nil {
		return r
	}
	if sender != c.cfg.Address && sender != c.proposerOf(env.View.Round) {
		return refuse(unproven, sender, "proposal of a validator that is not the proposer")
	}
	if v, known := c.signer.Signed(env.Code, env.View.Round); sender == c.cfg.Address && known && v.Digest == digest {
		return reject(ordinary, "echo of an own message")
	}
	m, err := env.Decode(c.certs.blocks.find)
	if err != nil {
		return refuse(blockFault(env.View.Round, env.Justified), sender, "proposal: "+err.Error())
	}
	return c.dispatch(m, env.Payload, sender, index)
}

// admitRoundChange admits a ROUND-CHANGE of this sequence. Its signed part decides, but for the certificate.
func (c *Core) admitRoundChange(env *messages.Envelope) *rejection {
	round := env.View.Round
	if round < c.round {
		c.answerBehind(env)
		return reject(late, "old round")
	}
	if set := c.roundChanges[round]; set != nil && set.has(env.Change) {
		// It is repeated every other second, so its signer is not recovered for that.
		return reject(ordinary, "duplicate ROUND-CHANGE")
	}
	sender, index, r := c.member(env)
	if r != nil {
		return r
	}
	own := sender == c.cfg.Address
	if !own && c.isValidator() {
		if reason := c.surplusRoundChange(env, index); reason != "" {
			return reject(ordinary, reason)
		}
	}
	if v, known := c.signer.Signed(env.Code, round); own && known &&
		v.Digest == crypto.Keccak256Hash(env.Change.SigningPayload()) {
		return reject(ordinary, "echo of an own message")
	}
	if env.Change.Prepared != nil && !c.mayExamine(sender) {
		return reject(barred, "certificate of a deliverer whose certificates fail")
	}
	if err := c.screenClaim(env); errors.Is(err, errDecided) {
		// A validator of go-stablenet may carry its certificate into the next sequence (spec wbft 5.3, 9.2 no. 9).
		return refuse(decided, sender, "ROUND-CHANGE: "+err.Error())
	} else if err != nil {
		return refuse(unproven, sender, "ROUND-CHANGE: "+err.Error())
	}
	m, err := env.Decode(c.certs.blocks.find)
	if err != nil {
		return refuse(unproven, sender, "malformed ROUND-CHANGE: "+err.Error()) // in a part that is not signed
	}
	return c.dispatch(m, env.Payload, sender, index)
}

// dispatch gives a message of this sequence to its handler. An own message from outside has a handler of its own. A
// node outside the set handles none.
func (c *Core) dispatch(m messages.Message, payload []byte, sender common.Address, index int) *rejection {
	switch {
	case sender == c.cfg.Address:
		return c.onOwnMessage(m, payload)
	case !c.isValidator():
		return reject(ordinary, "not a validator of this sequence")
	}
	switch m := m.(type) {
	case *messages.PrePrepare:
		return c.onPrePrepare(m, payload, sender)
	case *messages.RoundChange:
		return c.onRoundChange(m, sender, index)
	}
	return c.onVote(m, payload, index)
}

// member recovers the author of a message and finds it in the current set.
func (c *Core) member(env *messages.Envelope) (sender common.Address, index int, r *rejection) {
	sender, err := env.Signer()
	if err != nil {
		return sender, 0, reject(outsider, "unrecoverable signature: "+err.Error())
	}
	index, ok := c.set().Index(sender)
	if !ok {
		return sender, 0, reject(outsider, "signer is not a validator")
	}
	c.hear(sender, env.Code, env.View)
	return sender, index, nil
}

// keep puts an early message into the backlog, undecoded. The author of one of the next sequence need not be in the
// current set: the next epoch may begin with it (spec wbft 9.2 no. 5).
func (c *Core) keep(env *messages.Envelope, window uint64) *rejection {
	content, r := c.screenEarly(env)
	if r != nil {
		return r
	}
	sender, err := env.Signer()
	if err != nil {
		return reject(outsider, "unrecoverable signature: "+err.Error())
	}
	member := c.set().Contains(sender)
	if !member && env.View.Sequence == c.sequence {
		return reject(outsider, "signer is not a validator")
	}
	if sender == c.cfg.Address {
		if vote := env.Vote(); vote != nil && env.View.Sequence == c.sequence {
			return c.onOwnMessage(vote, env.Payload)
		}
		return reject(ordinary, "own message of a later sequence")
	}
	c.hear(sender, env.Code, env.View)
	e := backlogEntry{
		backlogKey: backlogKey{code: env.Code, view: env.View},
		envelope:   env,
		content:    content,
		size:       len(env.Payload),
		sender:     sender,
		from:       c.delivery.from,
	}
	switch reason := c.backlog.add(e, !member, window); {
	case reason == "":
		c.note(Note{Kind: NoteKept, View: env.View, Code: env.Code, Author: sender})
		return nil
	case reason == inBacklog || sender != c.delivery.from:
		// Every node that relays the message delivers a copy, and cannot know what else its author has sent.
		return reject(early, reason)
	default:
		return reject(crowding, reason)
	}
}
