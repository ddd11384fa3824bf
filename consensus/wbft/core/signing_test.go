// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/messages"
)

// signs counts what an own key has signed or made durable among effects.
func signs(effects []Effect) int {
	return len(only[Persist](effects)) + len(only[PersistLock](effects)) + len(only[Send](effects))
}

// TestKeyInUseElsewhere: a message of the own key that contradicts the record is proof that somebody else has the key. From then on
// nothing is signed, in no later sequence either; heads are followed and the decisions of the others counted.
func TestKeyInUseElsewhere(t *testing.T) {
	f := newFixture(t, 4)
	a, b := f.block("a"), f.block("b")
	p := f.player(1).propose(a)
	p.learn(b) // as from a certificate: only a seal over a block that is known shows that the vote is of this chain
	foreign := f.prepare(1, 0, b)
	p.deliver(foreign).wantEffects("StopSigning")
	stop := only[StopSigning](p.effects)[0]
	if stop.Reason == "" || len(stop.Evidence) != 2 || string(stop.Evidence[1]) != string(foreign.Encode()) {
		t.Errorf("%+v", stop)
	}
	p.deliver(f.prepare(1, 0, b)).wantDropped("known by now")

	var all []Effect
	step := func(list ...messages.Message) {
		p.deliver(list...)
		all = append(all, p.effects...)
	}
	step(f.prepare(0, 0, a), f.prepare(2, 0, a), f.prepare(3, 0, a))
	p.expire(RoundTimer)
	all = append(all, p.effects...)
	step(f.roundChange(0, 1, nil), f.roundChange(2, 1, nil), f.roundChange(3, 1, nil)) // it is the proposer of round 1
	p.do(Candidate{Block: a, Round: 1})
	all = append(all, p.effects...)
	p.do(PeerConnected{Address: f.address(0)})
	if signs(all) != 0 {
		t.Errorf("signed after it was seen to sign elsewhere: %v", names(all))
	}
	for _, build := range only[Build](all) {
		if build.Proposer {
			t.Error("asks for a candidate that it cannot propose")
		}
	}
	step(f.commit(0, 0, a), f.commit(2, 0, a), f.commit(3, 0, a))
	p.wantState(Committed, 1)

	head := f.head
	head.Header = f.sealed(a, 0, 0, 2, 3)
	p.do(NewHead{head})
	next := f.child(head.Header, "next")
	p.deliver(f.signed(1, &messages.PrePrepare{Sequence: 2, Block: next}))
	f.head = head
	p.deliver(f.signed(0, &messages.PrePrepare{Sequence: 2, Block: next})).validate(next)
	if signs(p.effects) != 0 || p.sequence != 2 {
		t.Errorf("sequence %d: %v", p.sequence, names(p.effects))
	}
}

// TestUnknownOwnMessage: an own message that is not in the record may be from before the log was lost, unless it is about a block
// that was made after this process began: then somebody else has signed it.
func TestUnknownOwnMessage(t *testing.T) {
	f := newFixture(t, 4)
	for _, test := range []struct {
		after time.Duration // from the start of the process to the timestamp of the head
		stop  bool
	}{{-time.Hour, false}, {30 * time.Second, false}, {time.Minute, false}, {61 * time.Second, true}, {24 * time.Hour, true}} {
		g := *f
		header := *f.head.Header
		header.Time = uint64(origin.Add(test.after).Unix())
		g.head.Header = &header
		p := &player{Core: New(g.config(1)), f: &g, clock: origin}
		p.do(NewHead{g.head})
		p.learn(g.block("a"))
		p.deliver(g.prepare(1, 0, g.block("a")))
		if got := len(only[StopSigning](p.effects)) == 1; got != test.stop {
			t.Errorf("head %v after the start: stopped %v; effects %v", test.after, got, names(p.effects))
		}
		if !test.stop && len(only[Persist](p.effects)) != 1 {
			t.Errorf("head %v after the start: the message was not taken back: %v", test.after, names(p.effects))
		}
	}
}

// TestReplayFromAnotherChain: a message names no chain. What the key has signed on another network, or before a new genesis block, can
// be repeated to it by any validator. It neither ends its signing nor goes into its record, whether the log is new or not, and the
// node takes part in the next round at the latest (spec wbft 4.3).
func TestReplayFromAnotherChain(t *testing.T) {
	f := newFixture(t, 4)
	f2 := newFixture(t, 4)
	f2.head.Header.GasLimit = 2
	a, other := f.block("a"), f2.block("other")
	claim := &messages.RoundChange{}
	claim.Sequence, claim.Round = 1, 1
	claim.Prepared = &messages.PreparedClaim{Digest: other.Hash()}
	broken := &messages.Prepare{Sequence: 1, Digest: a.Hash(), Seal: make([]byte, messages.SealLength)}
	replayed := []messages.Message{
		f2.signed(1, &messages.PrePrepare{Sequence: 1, Round: 1, Block: other}),
		f2.prepare(1, 0, other), f2.commit(1, 0, other), f2.roundChange(1, 1, f2.certificate(0, other, 0, 1, 2)),
		f2.roundChange(1, 500, nil), f.signed(1, claim), f.signed(1, broken),
	}
	for name, rec := range map[string]Restored{
		"new log": {}, "log of before": {Complete: true},
		"log of this sequence": {Complete: true, Sequences: []RestoredSequence{{Sequence: 1, Votes: []Vote{
			{Code: messages.CodeRoundChange, Sequence: 1, Digest: common.Hash{1}},
		}}}},
	} {
		p := f.restartedWith(1, rec)
		p.learn(a)
		for _, m := range replayed {
			p.deliver(m)
			if signs(p.effects)+len(only[StopSigning](p.effects)) != 0 {
				t.Errorf("%s: %T of another chain: %v", name, m, names(p.effects))
			}
		}
		if rec.Complete {
			p.propose(a)
			if len(p.sends(messages.CodePrepare)) != 1 {
				t.Errorf("%s: no vote in round 0: %v", name, names(p.effects))
			}
		}
		p.expire(RoundTimer)
		if p.round != 1 || len(p.sends(messages.CodeRoundChange)) != 1 {
			t.Errorf("%s: round %d, effects %v", name, p.round, names(p.effects))
		}
	}
}

// TestEchoOfALaterRound: whoever finds that it has left a round does not vote in it, and goes to where it was; its own ROUND-CHANGE
// counts and is repeated (spec wbft 5.10, 9.1 no. 3).
func TestEchoOfALaterRound(t *testing.T) {
	f := newFixture(t, 4)
	a := f.block("a")
	p := f.player(1)
	p.deliver(f.roundChange(1, 5, nil)).wantState(AcceptRequest, 5)
	if set := p.changes[5]; set == nil || set.bySender[1] == nil || p.timers[RetryTimer].id == 0 {
		t.Error("the own ROUND-CHANGE is not counted or not repeated")
	}
	p.deliver(f.proposal(0, 0, a)).wantDropped("proposal of a round that was left")
	p.deliver(f.prepare(0, 0, a), f.prepare(2, 0, a), f.prepare(3, 0, a))
	if signs(p.effects) != 0 {
		t.Errorf("voted in round 0 after a ROUND-CHANGE to round 5: %v", names(p.effects))
	}
	// A vote shows the same. What it said in the ROUND-CHANGE to that round is not known: it says nothing else.
	p = f.player(1)
	p.learn(a)
	p.deliver(f.prepare(1, 2, a)).wantState(AcceptRequest, 2)
	if len(p.sends(messages.CodeRoundChange)) != 0 {
		t.Error("a second ROUND-CHANGE to the round was signed")
	}
	p.deliver(f.roundChange(1, 2, nil))
	if set := p.changes[2]; set == nil || set.bySender[1] == nil {
		t.Error("the genuine one was not taken back")
	}
}

// TestOwedLock: who has sent a COMMIT and lost the certificate for it says nothing about being prepared until somebody else brings
// the certificate.
func TestOwedLock(t *testing.T) {
	f := newFixture(t, 4)
	a := f.block("a")
	p := f.player(1)
	p.learn(a)
	p.deliver(f.commit(1, 0, a))
	p.expire(RoundTimer)
	if len(p.sends(messages.CodeRoundChange)) != 0 || len(only[Failed](p.effects)) != 1 {
		t.Errorf("effects %v", names(p.effects))
	}
	cert := f.certificate(0, a, 0, 1, 2)
	p.deliver(f.roundChange(0, 1, cert))
	sent := p.sends(messages.CodeRoundChange)
	if len(sent) != 1 || p.lock == nil {
		t.Fatalf("effects %v", names(p.effects))
	}
	if string(sent[0].Payload) != string(f.roundChange(1, 1, cert).Encode()) {
		t.Error("the ROUND-CHANGE does not carry the certificate")
	}
	if lock := only[PersistLock](p.effects); len(lock) != 1 {
		t.Error("the lock is not durable")
	}
}

// TestLogOfAnotherKey: what another key has signed is neither sent nor taken for own, and accuses nobody.
func TestLogOfAnotherKey(t *testing.T) {
	f := newFixture(t, 4)
	a := f.block("a")
	old := record4(f, 1, network(f.proposal(0, 0, a)), Validated{Hash: a.Hash()},
		network(f.prepare(0, 0, a)), network(f.prepare(3, 0, a)))
	p := f.restartedWith(2, old.rec)
	for _, e := range only[Send](p.effects) {
		t.Errorf("sends a message %#x", e.Code)
	}
	failed := only[Failed](p.effects)
	if len(failed) == 0 || !strings.Contains(failed[0].Err.Error(), "belongs to another key") {
		t.Errorf("effects %v", p.effects)
	}
	p.propose(a)
	if got := p.sends(messages.CodePrepare); len(got) != 1 || string(got[0].Payload) != string(f.prepare(2, 0, a).Encode()) {
		t.Errorf("effects %v", names(p.effects))
	}
	p.deliver(f.prepare(1, 0, a), f.prepare(0, 0, a))
	if len(only[Misbehaviour](p.effects))+len(only[StopSigning](p.effects)) != 0 {
		t.Errorf("effects %v", p.effects)
	}
}

// TestJustifiedLaterRound: a proposal of a later round shows by its justification that a quorum is there. The node follows, tells
// so, and counts the votes that had come before (spec wbft 5.9).
func TestJustifiedLaterRound(t *testing.T) {
	f := newFixture(t, 4)
	for _, round := range []uint64{1, 2, 7, 40} {
		a := f.block("a")
		p := f.player(3)
		proposer := int(round % 4)
		if proposer == 3 {
			p = f.player(0)
		}
		if round <= roundWindow {
			p.deliver(f.prepare(1, round, a), f.prepare(2, round, a), f.commit(1, round, a), f.commit(2, round, a))
		}
		p.deliver(f.proposal(proposer, round, a)).wantState(AcceptRequest, round)
		if len(p.sends(messages.CodeRoundChange)) != 1 || len(only[Execute](p.effects)) != 1 {
			t.Errorf("round %d: effects %v", round, names(p.effects))
		}
		p.validate(a)
		want := Committed
		if round > roundWindow {
			want = PrePrepared
		}
		p.wantState(want, round)
	}
	// Not by a proposal that is not justified, or not by the proposer of that round.
	a := f.block("a")
	unjustified := f.proposal(2, 2, a)
	unjustified.RoundChanges = unjustified.RoundChanges[:2]
	p := f.player(3)
	p.deliver(unjustified).wantDropped("justification with one ROUND-CHANGE too few")
	p.deliver(f.proposal(1, 2, a)).wantDropped("not the proposer of that round")
	p.wantState(AcceptRequest, 0)
	// A lock goes along.
	p = f.player(3).toState(Prepared, a)
	p.deliver(f.proposal(2, 2, f.block("b")))
	if got := p.sends(messages.CodeRoundChange); len(got) != 1 ||
		string(got[0].Payload) != string(f.roundChange(3, 2, p.lock).Encode()) {
		t.Errorf("effects %v", names(p.effects))
	}
}

// TestSupersededClaim: a certificate does not outlive the ROUND-CHANGE that claimed it. A proposer that used it could not justify
// its proposal.
func TestSupersededClaim(t *testing.T) {
	f := newFixture(t, 7) // quorum 5, three to join
	a := f.block("a")
	self := 300 % 7
	p := f.player(self).do(Candidate{Block: f.block("own")})
	p.deliver(f.roundChange(0, 300, f.certificate(0, a, 0, 1, 2, 3, 4)), f.roundChange(1, 300, nil))
	p.deliver(f.roundChange(0, 400, nil)) // beyond the window one is kept
	p.deliver(f.roundChange(2, 300, nil), f.roundChange(3, 300, nil), f.roundChange(4, 300, nil), f.roundChange(5, 300, nil))
	p.wantState(AcceptRequest, 300)
	sent := p.sends(messages.CodePrePrepare)
	if len(sent) != 1 {
		t.Fatalf("effects %v", names(p.effects))
	}
	other := f.player(2).do(Message{Code: messages.CodePrePrepare, Payload: sent[0].Payload})
	if len(only[Execute](other.effects)) != 1 {
		t.Errorf("another validator refuses the proposal: %v", other.effects)
	}
	// A ROUND-CHANGE whose certificate fails supersedes nothing.
	p = f.player(self)
	p.deliver(f.roundChange(0, 300, nil), f.roundChange(0, 400, f.certificate(0, a, 0, 1)))
	if set := p.changes[300]; set == nil || set.bySender[0] == nil {
		t.Error("the one before is gone")
	}
}

// TestLocalErrors: a check that fails for a reason that lies in this node says nothing about the proposal. It is made again; nobody
// is accused, and the proposal keeps its place.
func TestLocalErrors(t *testing.T) {
	f := newFixture(t, 4)
	a := f.block("a")
	p := f.player(1).deliver(f.proposal(0, 0, a))
	for range 4 {
		p.do(Validated{Hash: a.Hash(), Err: errTest, Local: true})
		if len(only[Misbehaviour](p.effects)) != 0 || len(only[Failed](p.effects)) != 1 {
			t.Fatalf("effects %v", names(p.effects))
		}
		p.deliver(f.proposal(0, 0, a)).wantDropped("the same proposal again")
		p.expire(ProposalTimer).wantEffects("Execute")
	}
	p.validate(a).wantState(PrePrepared, 0)
	// The shell's own idea of when to look again counts.
	p = f.player(1).deliver(f.proposal(0, 0, a))
	p.do(Validated{Hash: a.Hash(), Err: errTest, Local: true, RetryAfter: 70 * time.Millisecond})
	if got := p.timers[ProposalTimer].deadline.Sub(p.clock); got != 70*time.Millisecond {
		t.Errorf("looks again after %v", got)
	}
}

// TestSuspects: who has sent a bad seal is verified apart from the rest and only if the quorum depends on it, in later rounds and
// sequences too; its good seals count then.
func TestSuspects(t *testing.T) {
	f := newFixture(t, 7) // quorum 5
	a := f.block("a")
	junk := func(i int, round uint64, block messages.Message) messages.Message {
		m := block.(*messages.Prepare)
		return f.signed(i, &messages.Prepare{Sequence: m.Sequence, Round: round, Digest: m.Digest, Seal: f.bls[i].Sign([]byte("junk"))})
	}
	p := f.player(1).propose(a)
	p.deliver(junk(0, 0, f.prepare(0, 0, a)), f.prepare(2, 0, a), f.prepare(3, 0, a))
	p.deliver(f.prepare(4, 0, a)).wantFault(InvalidSeal, 0)
	p.toRound(1)
	p.deliver(f.roundChange(0, 1, nil), f.roundChange(2, 1, nil), f.roundChange(3, 1, nil), f.roundChange(4, 1, nil))
	p.do(Candidate{Block: a, Round: 1}).validate(a)
	p.deliver(junk(0, 1, f.prepare(0, 1, a)), f.prepare(2, 1, a), f.prepare(3, 1, a), f.prepare(4, 1, a))
	p.wantFault(InvalidSeal, 0) // the count says quorum, so it is looked at
	p.deliver(f.prepare(5, 1, a)).wantState(Prepared, 1)

	head := f.head
	head.Header = f.sealed(a, 1, 1, 2, 3, 4, 5)
	p.do(NewHead{head})
	next := f.child(head.Header, "next")
	p.do(Candidate{Block: next}).validate(next) // the coinbase of the head is validator 0
	rs := p.rounds[0]
	p.deliver(f.prepare(0, 0, next), f.prepare(2, 0, next), f.prepare(3, 0, next), f.prepare(4, 0, next))
	if p.state != Prepared || rs.prepares.bySender[0].bad || !rs.prepares.bySender[0].verified {
		t.Errorf("a good seal that the quorum needs does not count: %v, %+v", p.state, rs.prepares.bySender[0])
	}
	q := f.player(1)
	q.suspect(f.address(0))
	q.deliver(f.proposal(0, 0, a))
	q.deliver(junk(0, 0, f.prepare(0, 0, a)), f.prepare(2, 0, a), f.prepare(3, 0, a), f.prepare(4, 0, a), f.prepare(5, 0, a))
	q.validate(a).wantState(Prepared, 0)
	if v := q.rounds[0].prepares.bySender[0]; v == nil || v.bad || v.verified || len(only[Misbehaviour](q.effects)) != 0 {
		t.Errorf("the seal of a suspect was looked at without need: %+v", v)
	}
	for range suspicion {
		q.sequence++
	}
	if q.forgetSuspects(); len(q.suspects) != 0 {
		t.Error("suspicion does not end")
	}
}

// TestCompactCertificate: a certificate has as many PREPAREs as it takes, however many had come when the block was executed.
func TestCompactCertificate(t *testing.T) {
	f := newFixture(t, 7)
	a := f.block("a")
	p := f.player(1).deliver(f.proposal(0, 0, a))
	for i := range 7 {
		if i != 1 {
			p.deliver(f.prepare(i, 0, a))
		}
	}
	p.validate(a).wantState(Prepared, 0)
	if got := len(p.lock.prepares); got != f.set.Quorum() {
		t.Errorf("%d PREPAREs, want %d", got, f.set.Quorum())
	}
	if _, err := p.lock.encode(new(blocks)); err != nil || p.rounds[0].prepares.kind != extra.Prepare {
		t.Error(err)
	}
}

// TestEchoWhileAProposalIsExecuted: an own vote of before a log was lost that comes when a proposal is bound already still keeps this node
// from voting for another block (spec wbft 9.1 no. 3).
func TestEchoWhileAProposalIsExecuted(t *testing.T) {
	f := newFixture(t, 4)
	a, b := f.block("a"), f.block("b")
	p := f.player(1).deliver(f.proposal(0, 0, a), f.prepare(1, 0, b)).validate(a)
	if sent := p.sends(messages.CodePrepare); len(sent) > 0 {
		t.Errorf("%d PREPAREs sent", len(sent))
	}
}
