// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"errors"
	"math"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/signing"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// logged collects what a driver would have on disk after all steps.
type logged struct {
	*player
	rec Restored
}

func (l *logged) note() *logged {
	at := func(sequence uint64) *RestoredSequence {
		last := len(l.rec.Sequences) - 1
		if last < 0 || l.rec.Sequences[last].Sequence != sequence {
			l.rec.Sequences = append(l.rec.Sequences, RestoredSequence{Sequence: sequence})
			last++
		}
		return &l.rec.Sequences[last]
	}
	for _, e := range l.effects {
		switch e := e.(type) {
		case Persist:
			s := at(e.Sequence)
			s.Votes = append(s.Votes, e.Vote)
		case PersistLock:
			at(e.Sequence).Lock = e.Certificate
		}
	}
	return l
}

// restarted returns a new core of the same validator with the vote log of the old one.
func (l *logged) restarted() *logged {
	p := &player{Core: New(l.f.config(l.index)), f: l.f, clock: l.clock}
	p.Restore(l.rec)
	p.do(NewHead{l.f.head})
	return &logged{player: p, rec: l.rec}
}

func record4(f *fixture, i int, events ...Event) *logged {
	l := &logged{player: f.player(i)}
	for _, ev := range events {
		l.do(ev)
		l.note()
	}
	return l
}

func network(m messages.Message) Message { return Message{Code: m.Code(), Payload: m.Encode()} }

// A restarted node sends its vote again and votes for no other block in the view.
// spec: wbft 5.10, 9.1
func TestRestartAfterPrepare(t *testing.T) {
	f := newFixture(t, 4)
	a, b := f.block("a"), f.block("b")
	old := record4(f, 1, network(f.proposal(0, 0, a)), Validated{Hash: a.Hash()})
	p := old.restarted()
	p.wantState(AcceptRequest, 0)
	again := p.sends(messages.CodePrepare)
	must.That(t, len(again) == 1 && again[0].Force && string(again[0].Payload) == string(f.prepare(1, 0, a).Encode()),
		"resent %+v", again)
	p.deliver(f.proposal(0, 0, b)).wantDropped("another proposal for the view")
	p.deliver(f.proposal(0, 0, a))
	p.validate(a).wantEffects("Relay 0x12", "Send 0x13") // recorded before
	p.deliver(f.prepare(0, 0, a), f.prepare(2, 0, a)).wantState(Prepared, 0)
}

// The lock survives a restart. The round continues, and the next ROUND-CHANGE carries the lock.
// spec: wbft 9.1
func TestRestartLocked(t *testing.T) {
	f := newFixture(t, 4)
	a := f.block("a")
	old := record4(f, 1, network(f.proposal(0, 0, a)), Validated{Hash: a.Hash()},
		network(f.prepare(0, 0, a)), network(f.prepare(2, 0, a)))
	old.wantState(Prepared, 0)

	p := old.restarted()
	p.wantEffects("Build", "SetTimer", "SetTimer", "Execute", "Send 0x13", "Send 0x14")
	p.validate(a).wantState(Prepared, 0)
	expect.That(t, len(only[Persist](p.effects)) == 0, "recorded votes are recorded again: %v", names(p.effects))
	p.deliver(f.commit(0, 0, a), f.commit(3, 0, a)).wantState(Committed, 0)

	p = old.restarted()
	p.expire(RoundTimer)
	if got := p.sends(messages.CodeRoundChange); len(got) != 1 ||
		string(got[0].Payload) != string(f.roundChange(1, 1, f.certificate(0, a, 0, 1, 2)).Encode()) {
		t.Error("the ROUND-CHANGE after the restart does not carry the lock")
	}
}

// A restarted node continues in the round that it had announced.
// spec: wbft 9.1
func TestRestartInLaterRound(t *testing.T) {
	f := newFixture(t, 4)
	a := f.block("a")
	old := record4(f, 1, network(f.proposal(0, 0, a)), Validated{Hash: a.Hash()})
	old.toRound(1)
	old.note()
	p := old.restarted()
	p.wantState(AcceptRequest, 1)
	got := p.sends(messages.CodeRoundChange)
	expect.That(t, len(got) == 1 && got[0].Force && string(got[0].Payload) == string(f.roundChange(1, 1, nil).Encode()),
		"resent %v", names(p.effects))
	expect.That(t, p.roundChanges[1].count == 1 && p.timing.timers[RetryTimer].id != 0,
		"the own ROUND-CHANGE is not counted or not repeated")
	p.deliver(f.prepare(0, 0, a)).wantDropped("vote of a round before the restart")
}

// A restarted proposer sends its proposal again and no other one in the view.
// spec: wbft 9.1
func TestRestartOfProposer(t *testing.T) {
	f := newFixture(t, 4)
	a := f.block("a")
	p := record4(f, 0, Candidate{Block: a}).restarted()
	p.wantEffects("Build", "SetTimer", "Send 0x12", "SetTimer", "Execute")
	p.do(Candidate{Block: f.block("b")}).wantEffects()
	p.validate(a).wantEffects("Persist 0x13", "Send 0x13")
}

// restartedWith returns a new core of a validator on the fixture's head with a vote log.
func (f *fixture) restartedWith(i int, rec Restored) *player {
	p := &player{Core: New(f.config(i)), f: f, clock: origin}
	p.Restore(rec)
	return p.do(NewHead{f.head})
}

// In a sequence below the low watermark nothing is signed and no lock is recorded. Decisions of others are followed.
// spec: wbft 9.1
func TestNothingIsSignedBelowLowWatermark(t *testing.T) {
	f := newFixture(t, 4)
	a := f.block("a")
	rec := Restored{LowWatermark: 3, Sequences: []RestoredSequence{
		{Sequence: 3, Votes: []Vote{{Code: messages.CodePrepare, Sequence: 3, Digest: common.Hash{1}}}},
	}}
	p := f.restartedWith(1, rec).propose(a)
	var all []Effect
	step := func(list ...messages.Message) {
		p.deliver(list...)
		all = append(all, p.effects...)
	}
	step(f.prepare(0, 0, a), f.prepare(2, 0, a), f.prepare(3, 0, a))
	n := len(only[Send](all)) + len(only[Persist](all)) + len(only[PersistLock](all))
	expect.That(t, n == 0, "%d messages signed or recorded below the low watermark: %v", n, names(all))
	step(f.commit(0, 0, a), f.commit(2, 0, a), f.commit(3, 0, a))
	p.wantState(Committed, 0)
	p = f.restartedWith(1, rec).expire(RoundTimer)
	expect.Equal(t, len(only[Send](p.effects))+len(only[Persist](p.effects)), 0, "effects %v", names(p.effects))

	// From the low watermark on it signs again.
	f.head.Header = f.sealed(a, 0, 0, 1, 2)
	b := f.block("b")
	p = f.restartedWith(2, Restored{LowWatermark: 2, Sequences: []RestoredSequence{{Sequence: 3}}})
	p.deliver(f.signed(1, &messages.PrePrepare{Sequence: 2, Block: b}))
	p.validate(b).wantEffects("Relay 0x12", "Persist 0x13", "Send 0x13")
}

// A power loss took the newest block and left the votes for the next one. The node continues each sequence with its
// own votes.
// spec: wbft 9.1
func TestVoteLogAheadOfChain(t *testing.T) {
	f := newFixture(t, 4)
	a, other := f.block("a"), f.block("other")
	old := record4(f, 1, network(f.proposal(0, 0, a)), Validated{Hash: a.Hash()},
		network(f.prepare(0, 0, a)), network(f.prepare(2, 0, a)))
	next := f.child(f.sealed(a, 0, 0, 1, 2), "next")
	ahead := *old
	ahead.rec.Sequences = append(ahead.rec.Sequences, RestoredSequence{Sequence: 2, Votes: []Vote{
		{Code: messages.CodePrepare, Sequence: 2, Digest: next.Hash(), Payload: f.prepare(1, 0, next).Encode()},
	}})
	p := ahead.restarted()
	p.wantEffects("Build", "SetTimer", "SetTimer", "Execute", "Send 0x13", "Send 0x14")
	p.deliver(f.proposal(0, 0, other)).wantDropped("proposal against the record")
	p.validate(a).wantState(Prepared, 0)
	p.deliver(f.commit(0, 0, a), f.commit(3, 0, a)).wantState(Committed, 0)

	f.head.Header = f.sealed(a, 0, 0, 1, 2)
	p.do(NewHead{f.head})
	got := p.sends(messages.CodePrepare)
	expect.That(t, len(got) == 1 && string(got[0].Payload) == string(f.prepare(1, 0, next).Encode()),
		"in the next sequence sent %v, want the recorded PREPARE", names(p.effects))
	p.deliver(f.signed(1, &messages.PrePrepare{Sequence: 2, Block: f.block("b")}))
	expect.Equal(t, len(only[Send](p.effects)), 0, "a vote against the record of the next sequence: %v", names(p.effects))
}

// An unreadable vote log is reported. The node loses its vote, not its safety.
// spec: wbft 9.1
func TestUnreadableVoteLog(t *testing.T) {
	f := newFixture(t, 4)
	a := f.block("a")
	weak := must.Get(f.certificate(0, a, 0, 1).encode(new(blocks)))(t)
	f2 := newFixture(t, 4)
	f2.head.Header.GasLimit = 2
	elsewhere := must.Get(f2.certificate(0, f2.block("a"), 0, 1, 2).encode(new(blocks)))(t)
	vote := Vote{Code: messages.CodePrepare, Sequence: 1, Digest: a.Hash(), Payload: f.prepare(1, 0, a).Encode()}
	for name, rec := range map[string]RestoredSequence{
		"undecodable lock": {Sequence: 1, Votes: []Vote{vote}, Lock: []byte{1, 2, 3}},
		"weak lock":        {Sequence: 1, Votes: []Vote{vote}, Lock: weak},
		"lock elsewhere":   {Sequence: 1, Votes: []Vote{vote}, Lock: elsewhere},
		"undecodable vote": {Sequence: 1, Votes: []Vote{{Code: messages.CodePrepare, Sequence: 1, Payload: []byte{1}}}},
		"undecodable ROUND-CHANGE": {Sequence: 1, Votes: []Vote{
			{Code: messages.CodeRoundChange, Sequence: 1, Round: 1, Payload: []byte{1}}}},
	} {
		t.Run(name, func(t *testing.T) {
			p := f.restartedWith(1, Restored{LowWatermark: 1, Sequences: []RestoredSequence{rec}})
			expect.That(t, len(only[Failed](p.effects)) == 1 && p.lock == nil, "%s: effects %v", name, names(p.effects))
		})
	}
}

// Own messages that come back after a restart without the vote log are not contradicted, and bring the lock back.
// spec: wbft 5.10, 9.1
func TestEchoOfLostVoteLogIsTakenBack(t *testing.T) {
	f := newFixture(t, 4)
	a, b := f.block("a"), f.block("b")
	p := f.player(1)
	p.deliver(f.prepare(1, 0, a)).wantDropped("vote for a block that is not known")
	p.deliver(f.proposal(0, 0, b)).wantDropped("proposal against an own vote of before")
	p.learn(a)
	p.deliver(f.prepare(1, 0, a)).wantEffects("Persist 0x13")
	p.deliver(f.prepare(1, 0, a)).wantDropped("echo")
	p.deliver(f.proposal(0, 0, b)).wantDropped("proposal against the record")
	p.deliver(f.roundChange(1, 1, f.certificate(0, a, 0, 1, 2))).wantEffects(
		"Persist 0x15", "PersistLock", "Build", "Send 0x15", "SetTimer")
	p.wantState(AcceptRequest, 1)
	if got := p.sends(messages.CodeRoundChange); len(got) != 1 ||
		string(got[0].Payload) != string(f.roundChange(1, 1, f.certificate(0, a, 0, 1, 2)).Encode()) {
		t.Error("the ROUND-CHANGE is not the one of before")
	}
	p.deliver(f.roundChange(1, 1, nil)).wantDropped("without a certificate it need not be of this chain")
}

// A key that cannot sign is reported, and no unsigned message is sent.
// spec: wbft 9.1
func TestSigningFails(t *testing.T) {
	f := newFixture(t, 4)
	a := f.block("a")
	cfg := f.config(1)
	cfg.Sign = func(signing.Intent) error { return errors.New("key is locked") }
	p := &player{Core: New(cfg), f: f, clock: origin}
	p.do(NewHead{f.head}).propose(a)
	p.wantEffects("Relay 0x12", "Failed")
	p.expire(RoundTimer).wantEffects("Build", "Failed")
}

// A validator that becomes reachable is sent this node's messages of the view.
// spec: wbft 4.4
func TestPeerConnected(t *testing.T) {
	f := newFixture(t, 5)
	f.set = f.members(0, 1, 2, 3)
	f.head.Set = f.set
	p := f.player(3).toRound(1)
	p.propose(f.block("a"))
	p.do(PeerConnected{Address: f.address(2)}).wantEffects("Send 0x15", "Send 0x13")
	for _, s := range only[Send](p.effects) {
		expect.That(t, s.Force && len(s.To) == 1 && s.To[0] == f.address(2), "send %+v", s)
	}
	p.do(PeerConnected{Address: f.address(4)}).wantEffects()
	p.do(PeerConnected{Address: f.address(3)}).wantEffects()
}

// A validator that is connected with this node alone gets the latest ROUND-CHANGE of every other validator, whole and
// with each connection, but not its own.
// spec: wbft 4.4
func TestPeerConnectedLate(t *testing.T) {
	f := newFixture(t, 4)
	p := f.player(3).toRound(1)
	cert := f.certificate(0, f.block("a"), 0, 1, 2)
	changes := []messages.Message{f.roundChange(0, 1, cert), f.roundChange(1, 2, nil), f.roundChange(2, 1, nil)}
	p.deliver(changes...)
	for range 2 {
		relays := only[Relay](p.do(PeerConnected{Address: f.address(2)}).effects)
		must.Equal(t, len(relays), 2, "relays %v for each of two others", names(p.effects))
		for i, r := range relays {
			expect.That(t, len(r.To) == 1 && r.To[0] == f.address(2) && r.Code == messages.CodeRoundChange,
				"relay of %#x to %v", r.Code, r.To)
			expect.Slice(t, r.Payload, changes[i].Encode(), "the ROUND-CHANGE of validator %d is not the one it sent", i)
		}
	}
}

// A signed message binds even if only its digest is left: the proposer proposes no other block in the view.
// spec: wbft 9.1
func TestRestartWithAnUnreadableProposal(t *testing.T) {
	f := newFixture(t, 4)
	a, b := f.block("a"), f.block("b")
	old := record4(f, 0, Candidate{Block: a})
	votes := old.rec.Sequences[0].Votes
	must.That(t, len(votes) != 0 && votes[0].Code == messages.CodePrePrepare, "recorded %+v", votes)
	old.rec.Sequences[0].Votes = votes[:1]
	votes[0].Payload = nil
	p := old.restarted()
	p.do(Candidate{Block: b})
	sent := p.sends(messages.CodePrePrepare)
	expect.That(t, len(sent) == 0, "%d other proposals sent", len(sent))
	persisted := only[Persist](p.effects)
	expect.That(t, len(persisted) == 0, "recorded %+v", persisted)
}

// A record of a round that no seal can express is reported and left out. The node goes on in the round of the others.
func TestRecordOfAnImpossibleRound(t *testing.T) {
	f := newFixture(t, 4)
	old := record4(f, 1, network(f.proposal(0, 0, f.block("a"))), Validated{Hash: f.block("a").Hash()})
	votes := &old.rec.Sequences[0].Votes
	*votes = append(*votes, Vote{Code: messages.CodePrepare, Sequence: 1, Round: math.MaxUint64})
	p := old.restarted()
	p.wantState(AcceptRequest, 0)
	expect.Equal(t, len(only[Failed](p.effects)), 1, "effects %v", names(p.effects))
	p.expire(RoundTimer).wantState(AcceptRequest, 1)
	expect.That(t, len(only[StopSigning](p.effects)) == 0 && len(p.sends(messages.CodeRoundChange)) == 1,
		"after the round: %+v", p.effects)
}
