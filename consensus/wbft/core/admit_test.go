// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"fmt"
	"strings"
	"testing"

	"gwon/consensus/wbft/messages"
	"gwon/internal/expect"
)

// fate is the outcome of a message.
type fate string

const (
	handled fate = "handled" // handled and relayed
	counted fate = "counted" // kept with the round, relayed once the proposal is accepted
	queued  fate = "backlog"
	dropped fate = "dropped"
)

// fateOf delivers a message and returns its outcome.
func (p *player) fateOf(m messages.Message) fate {
	before := p.backlog.len()
	p.deliver(m)
	switch {
	case p.dropped():
		return dropped
	case p.backlog.len() > before:
		return queued
	case len(only[Relay](p.effects)) > 0 || len(only[Execute](p.effects)) > 0:
		return handled
	}
	return counted
}

// The first table of the admission rules, row by row. The node is validator 3 in round 2 of sequence 2 and
// PREPREPARED. The head was sealed in round 1.
// spec: wbft 5.4
func TestAdmissionByView(t *testing.T) {
	const (
		pp = messages.CodePrePrepare
		p  = messages.CodePrepare
		c  = messages.CodeCommit
		rc = messages.CodeRoundChange
	)
	all := []uint64{pp, p, c, rc}
	votes := []uint64{p, c}
	tests := []struct {
		name            string
		sequence, round uint64
		codes           []uint64
		want            fate
	}{
		{"sequence above the next", 4, 0, all, dropped},
		{"same sequence, round beyond the window", 2, 13, []uint64{pp, p, c}, dropped},
		{"same sequence, last round of the window", 2, 12, votes, queued},
		{"later round, a proposal without justification", 2, 3, []uint64{pp}, dropped},
		{"ROUND-CHANGE of the next sequence", 3, 1, []uint64{rc}, queued},
		{"ROUND-CHANGE to an earlier round", 2, 1, []uint64{rc}, dropped},
		{"ROUND-CHANGE of an earlier sequence", 1, 5, []uint64{rc}, dropped},
		{"ROUND-CHANGE to the current round", 2, 2, []uint64{rc}, handled},
		{"ROUND-CHANGE to a later round", 2, 4, []uint64{rc}, handled},
		{"ROUND-CHANGE far beyond the window", 2, 40, []uint64{rc}, handled}, // a node far behind joins by it
		{"next sequence", 3, 0, []uint64{pp, p, c}, queued},
		{"next sequence, round beyond the window", 3, 11, []uint64{pp, p, c}, dropped},
		{"later round", 2, 3, votes, queued},
		{"head's sequence, head's round", 1, 1, votes, handled},
		{"head's sequence, another round", 1, 0, votes, dropped},
		{"head's sequence, a proposal", 1, 1, []uint64{pp}, dropped},
		{"round that was left, a proposal", 2, 1, []uint64{pp}, dropped},
		{"round that was left, votes", 2, 1, votes, counted}, // towards a late decision
		{"older sequence", 0, 1, []uint64{p, c, rc}, dropped},
		{"current view, votes", 2, 2, votes, handled},
		{"current view, second proposal", 2, 2, []uint64{pp}, dropped},
	}
	for _, test := range tests {
		for _, code := range test.codes {
			t.Run(fmt.Sprintf("%s %#x", test.name, code), func(t *testing.T) {
				f := newFixture(t, 4)
				first := f.block("first")
				genesis := f.head
				f.head.Header = f.sealed(first, 1, 0, 1, 2)
				second := f.block("second")
				player := &player{Core: New(f.config(3)), f: f, clock: origin}
				player.do(NewHead{genesis}).do(NewHead{f.head})
				player.toRound(2)
				// The head's coinbase is validator 0: round robin makes validator 3 proposer of round 2.
				player.do(Candidate{Block: second, Round: 2})
				player.deliver(f.roundChange(0, 2, nil), f.roundChange(1, 2, nil)).validate(second)
				player.wantState(PrePrepared, 2)

				block := second
				switch test.sequence {
				case 1:
					block = first
				case 0, 3, 4:
					block = f.child(second.Header(), "other")
				}
				var m messages.Message
				switch code {
				case pp:
					m = f.signed(2, &messages.PrePrepare{Sequence: test.sequence, Round: test.round, Block: block})
				case p:
					v := f.prepare(2, test.round, block)
					m = f.signed(2, &messages.Prepare{Sequence: test.sequence, Round: test.round, Digest: v.Digest, Seal: v.Seal})
				case c:
					v := f.commit(2, test.round, block)
					m = f.signed(2, &messages.Commit{Sequence: test.sequence, Round: test.round, Digest: v.Digest, Seal: v.Seal})
				case rc:
					change := &messages.RoundChange{}
					change.Sequence, change.Round = test.sequence, test.round
					m = f.signed(2, change)
				}
				got := player.fateOf(m)
				expect.That(t, got == test.want, "%s, want %s; effects %v", got, test.want, player.effects)
			})
		}
	}
}

// The second table of the admission rules, all cells. A vote that go-stablenet queues or keeps as an extra seal is
// counted and relayed here, and goes into this header or the next one.
// spec: wbft 5.4
func TestAdmissionByState(t *testing.T) {
	tests := []struct {
		state                        State
		prePrepare, prepare, commits fate
	}{
		{AcceptRequest, handled, counted, counted},
		{PrePrepared, dropped, handled, handled},
		{Prepared, dropped, handled, handled},
		{Committed, dropped, handled, handled},
	}
	for _, test := range tests {
		t.Run(test.state.String(), func(t *testing.T) {
			f := newFixture(t, 7) // proposer 0, node 1; 2 to 5 help, the message is of 6
			block := f.block("a")
			cells := []struct {
				m    messages.Message
				want fate
			}{
				{f.proposal(0, 0, block), test.prePrepare},
				{f.prepare(6, 0, block), test.prepare},
				{f.commit(6, 0, block), test.commits},
			}
			for _, cell := range cells {
				expect.Equal(t, f.player(1).toState(test.state, block).fateOf(cell.m), cell.want, "message %#x", cell.m.Code())
			}
		})
	}
}

// Only validators of a sequence vote in it. A message of a stranger may be kept for the next sequence.
// spec: wbft 5.4
func TestSigners(t *testing.T) {
	f := newFixture(t, 5)
	f.set = f.members(0, 1, 2, 3)
	f.head.Set = f.set
	p := f.player(1)
	block := f.block("a")
	p.deliver(f.prepare(4, 0, block)).wantDropped("vote of a stranger")
	p.deliver(f.prepare(4, 3, block)).wantDropped("early vote of a stranger")
	p.deliver(f.roundChange(4, 1, nil)).wantDropped("ROUND-CHANGE of a stranger")
	next := f.child(block.Header(), "next")
	expect.Equal(t, p.fateOf(f.prepare(4, 0, next)), queued, "stranger's vote for the next sequence")
	outside := f.player(4)
	outside.wantEffects()
	outside.deliver(f.proposal(0, 0, block)).wantDropped("message to a node outside the set")
}

// Only a head has an effect before the first head.
func TestMessagesBeforeFirstHead(t *testing.T) {
	f := newFixture(t, 4)
	block := f.block("a")
	for _, ev := range []Event{
		Message{Code: messages.CodePrepare, Payload: f.prepare(0, 0, block).Encode()}, Timeout{ID: 1},
		Candidate{Block: block}, Validated{Hash: block.Hash()}, PeerConnected{Address: f.address(0)},
	} {
		p := &player{Core: New(f.config(1)), f: f, clock: origin}
		p.do(ev).wantEffects("Dropped")
		expect.Deep(t, p.Status(), Status{}, "status")
	}
}

// Malformed messages are dropped, and no peer is blamed for them.
// spec: wbft 4.2
func TestMalformedMessages(t *testing.T) {
	f := newFixture(t, 4)
	p := f.player(1)
	good := f.prepare(0, 0, f.block("a")).Encode()
	for name, m := range map[string]Message{
		"unknown code": {Code: 0x11, Payload: good}, "empty": {Code: 0x13}, "cut": {Code: 0x13, Payload: good[:50]},
		"other kind": {Code: 0x15, Payload: good},
	} {
		t.Run(name, func(t *testing.T) {
			p.do(m).wantDropped(name)
		})
	}
}

// Only validators deliver messages of this sequence and the one before, of any author. A validator of the next epoch
// may deliver its own early.
// spec: network 3, wbft 9.2
func TestDeliverers(t *testing.T) {
	f := newFixture(t, 5)
	f.set = f.members(0, 1, 2, 3)
	f.head.Set = f.set
	block := f.block("a")
	p := f.player(1).toState(PrePrepared, block)
	vote := f.prepare(2, 0, block)
	carry := func(by int, m messages.Message) *player {
		return p.do(Message{Code: m.Code(), Payload: m.Encode(), From: f.address(by)})
	}
	carry(4, vote).wantDropped("vote carried by a node that is no validator")
	carry(3, vote).wantEffects("Relay 0x13")

	next := &messages.RoundChange{}
	next.Sequence, next.Round = 2, 1
	if carry(4, f.signed(4, next)); p.dropped() || p.backlog.len() != 1 {
		t.Errorf("early message of a node that may be a validator soon: %v", names(p.effects))
	}

	large := f.proposal(3, 0, f.child(block.Header(), strings.Repeat("x", messages.MaxSmall)))
	kept := p.backlog.len()
	carry(4, large).wantDropped("large message carried by a node that is no validator")
	expect.That(t, p.backlog.len() == kept, "a stranger's large message is kept")
	carry(3, large)
	expect.That(t, !p.dropped() && p.backlog.len() == kept+1, "early proposal of a validator: %v", names(p.effects))

	p.toState(Committed, block)
	head := f.head
	head.Header, head.Set = f.sealed(block, 0, 0, 1, 2), f.members(1, 2, 3, 4) // validator 0 leaves, 4 joins
	p.do(NewHead{head})
	carry(0, f.commit(3, 0, block)).wantEffects("Relay 0x14")
	carry(0, f.prepare(3, 0, f.child(head.Header, "b"))).wantDropped(
		"vote of the new sequence carried by one that has left",
	)
}
