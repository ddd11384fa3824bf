// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"testing"

	"gwon/consensus/wbft/messages"
	"gwon/internal/must"
)

// The tests of this file walk the rules of the QBFT paper (Moniz, "The Istanbul BFT Consensus Algorithm") in its order.
// Four validators tolerate one fault: the quorum is 3 and the join count is 2. Validator r proposes in round r. The
// paper counts rounds from 1, WBFT from 0.

// Algorithm 1: the proposer of the first round proposes its own value. No other validator does. spec: wbft 5.6
func TestPaperProposerProposesItsValue(t *testing.T) {
	f := newFixture(t, 4)
	for _, test := range []struct {
		name      string
		validator int
		proposals int
	}{{"proposer", 0, 1}, {"other validator", 1, 0}} {
		t.Run(test.name, func(t *testing.T) {
			p := f.player(test.validator).do(Candidate{Block: f.block("own")})
			if sent := p.sends(messages.CodePrePrepare); len(sent) != test.proposals {
				t.Errorf("%d proposals, want %d", len(sent), test.proposals)
			}
		})
	}
}

// Algorithm 2, lines 1 to 4: a proposal of the round's proposer is answered with a PREPARE, and the timer starts. WBFT
// executes the block first. spec: wbft 5.7
func TestPaperProposalIsPrepared(t *testing.T) {
	f := newFixture(t, 4)
	a := f.block("a")
	p := f.player(3).deliver(f.proposal(0, 0, a))
	if len(only[SetTimer](p.effects)) != 1 || len(only[Execute](p.effects)) != 1 {
		t.Fatalf("effects of the proposal: %v", names(p.effects))
	}
	p.validate(a)
	p.wantState(PrePrepared, 0)
	sent := p.sends(messages.CodePrepare)
	if len(sent) != 1 {
		t.Fatalf("effects of the verdict: %v", names(p.effects))
	}
	m := must.Get(messages.Decode(messages.CodePrepare, sent[0].Payload))(t)
	if m.(*messages.Prepare).Digest != a.Hash() {
		t.Errorf("PREPARE is for %v, want %v", m.(*messages.Prepare).Digest, a.Hash())
	}
}

// Algorithm 2, line 1: only the proposer of the round proposes in it. spec: wbft 3.3, 5.7
func TestPaperProposalOfAnotherValidatorIsRefused(t *testing.T) {
	f := newFixture(t, 4)
	a := f.block("a")
	for _, author := range []int{1, 2} {
		p := f.player(3)
		p.deliver(f.signed(author, &messages.PrePrepare{Sequence: 1, Block: a})).wantDropped("proposal")
		p.wantState(AcceptRequest, 0)
	}
}

// Algorithm 2, lines 5 to 8: with a quorum of PREPAREs the validator is prepared, which it records before it sends a
// COMMIT. spec: wbft 5.7, 9.1
func TestPaperQuorumOfPreparesIsCommitted(t *testing.T) {
	f := newFixture(t, 4)
	a := f.block("a")
	p := f.player(3).toState(PrePrepared, a)
	p.deliver(f.prepare(0, 0, a)).wantState(PrePrepared, 0)
	p.deliver(f.prepare(1, 0, a)).wantState(Prepared, 0)
	p.wantEffects("Relay 0x13", "PersistLock", "Persist 0x14", "Send 0x14")
	if p.lock == nil || p.lock.round != 0 || p.lock.digest != a.Hash() {
		t.Errorf("prepared with %+v", p.lock)
	}
}

// Algorithm 2, lines 9 to 11: with a quorum of COMMITs the validator decides. spec: wbft 5.7
func TestPaperQuorumOfCommitsDecides(t *testing.T) {
	f := newFixture(t, 4)
	a := f.block("a")
	p := f.player(3).toState(Prepared, a)
	p.deliver(f.commit(0, 0, a)).wantState(Prepared, 0)
	p.deliver(f.commit(1, 0, a)).wantState(Committed, 0)
	decided := only[Commit](p.effects)
	if len(decided) != 1 || decided[0].Block.Hash() != a.Hash() {
		t.Errorf("decided %+v", decided)
	}
}

// Algorithm 3, lines 1 to 4: when the timer expires the validator enters the next round, and sends a ROUND-CHANGE with
// the round and value that it has prepared. spec: wbft 5.5
func TestPaperTimeoutChangesRound(t *testing.T) {
	f := newFixture(t, 4)
	a := f.block("a")
	for _, state := range []State{AcceptRequest, PrePrepared, Prepared} {
		t.Run(state.String(), func(t *testing.T) {
			p := f.player(3)
			if state != AcceptRequest {
				p.toState(state, a)
			}
			p.expire(RoundTimer).wantState(AcceptRequest, 1)
			sent := p.sends(messages.CodeRoundChange)
			if len(sent) != 1 {
				t.Fatalf("effects %v", names(p.effects))
			}
			m := must.Get(messages.Decode(messages.CodeRoundChange, sent[0].Payload))(t)
			change := m.(*messages.RoundChange)
			if prepared := state == Prepared; (change.Prepared != nil) != prepared || change.Round != 1 {
				t.Errorf("ROUND-CHANGE to %d claims %+v, want a claim: %t", change.Round, change.Prepared, prepared)
			}
		})
	}
}

// Algorithm 3, lines 5 to 9: with F+1 ROUND-CHANGEs to later rounds the validator enters the lowest of them and sends
// its own. spec: wbft 5.7
func TestPaperJoinsLowestLaterRound(t *testing.T) {
	f := newFixture(t, 4)
	p := f.player(3)
	p.deliver(f.roundChange(0, 4, nil)).wantState(AcceptRequest, 0)
	p.deliver(f.roundChange(1, 2, nil)).wantState(AcceptRequest, 2)
	if len(p.sends(messages.CodeRoundChange)) != 1 {
		t.Errorf("effects %v", names(p.effects))
	}
}

// Algorithm 3, lines 10 to 16: with a quorum of ROUND-CHANGEs the proposer proposes the value that was prepared in the
// highest round, or its own if none was. spec: wbft 5.7
func TestPaperProposesHighestPreparedValue(t *testing.T) {
	f := newFixture(t, 4)
	own, a, b := f.block("own"), f.block("a"), f.block("b")
	in0, in1 := f.certificate(0, a, 0, 1, 2), f.certificate(1, b, 0, 1, 2)
	for _, test := range []struct {
		name    string
		changes []*messages.RoundChange
		want    string
	}{
		{"none prepared", []*messages.RoundChange{f.roundChange(0, 2, nil), f.roundChange(1, 2, nil)}, "own"},
		{"one prepared", []*messages.RoundChange{f.roundChange(0, 2, in0), f.roundChange(1, 2, nil)}, "a"},
		{"prepared in two rounds", []*messages.RoundChange{f.roundChange(0, 2, in0), f.roundChange(1, 2, in1)}, "b"},
		{"later round first", []*messages.RoundChange{f.roundChange(0, 2, in1), f.roundChange(1, 2, in0)}, "b"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := f.player(2).do(Candidate{Block: own})
			p.deliver(test.changes[0])
			if len(p.sends(messages.CodePrePrepare)) > 0 {
				t.Fatal("proposes without a quorum")
			}
			p.deliver(test.changes[1])
			sent := p.sends(messages.CodePrePrepare)
			if len(sent) != 1 {
				t.Fatalf("effects %v", names(p.effects))
			}
			m := must.Get(messages.Decode(messages.CodePrePrepare, sent[0].Payload))(t)
			if got, want := m.(*messages.PrePrepare).Block.Hash(), f.block(test.want).Hash(); got != want {
				t.Errorf("proposes %v, want block %s", got, test.want)
			}
		})
	}
}

// Algorithm 4, JustifyPrePrepare and JustifyRoundChange: a proposal of a later round is prepared only if a quorum of
// ROUND-CHANGEs to that round allows its value. spec: wbft 5.9
func TestPaperProposalOfLaterRoundNeedsJustification(t *testing.T) {
	f := newFixture(t, 4)
	a, b := f.block("a"), f.block("b")
	in0 := f.certificate(0, a, 0, 1, 2)
	for _, test := range []struct {
		name     string
		proposal *messages.PrePrepare
		accepted bool
	}{
		{"no ROUND-CHANGEs", &messages.PrePrepare{Block: a}, false},
		{"less than a quorum", &messages.PrePrepare{Block: a, RoundChanges: f.changes(1, nil, 0, 1)}, false},
		{"of another round", &messages.PrePrepare{Block: a, RoundChanges: f.changes(2, nil, 0, 1, 2)}, false},
		{"quorum, none prepared", &messages.PrePrepare{Block: a, RoundChanges: f.changes(1, nil, 0, 1, 2)}, true},
		{"prepared value", &messages.PrePrepare{
			Block: a, RoundChanges: f.changes(1, in0, 0, 1, 2), Prepares: in0.prepares,
		}, true},
		{"prepared value without PREPAREs", &messages.PrePrepare{
			Block: a, RoundChanges: f.changes(1, in0, 0, 1, 2),
		}, false},
		{"other value than the prepared one", &messages.PrePrepare{
			Block: b, RoundChanges: f.changes(1, in0, 0, 1, 2), Prepares: in0.prepares,
		}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.proposal.Sequence, test.proposal.Round = 1, 1
			p := f.player(3).deliver(f.signed(1, test.proposal))
			if accepted := len(only[Execute](p.effects)) == 1; accepted != test.accepted {
				t.Errorf("accepted %t, want %t; effects %v", accepted, test.accepted, names(p.effects))
			}
		})
	}
}

// Section on agreement: a value that a quorum has prepared is the only one that later rounds can decide. A validator
// that prepared it claims it in every later round. spec: wbft 5.5, 9.1
func TestPaperPreparedValueIsClaimedUntilDecided(t *testing.T) {
	f := newFixture(t, 4)
	a := f.block("a")
	p := f.player(3).toState(Prepared, a)
	for round := uint64(1); round <= 3; round++ {
		p.toRound(round)
		v, ok := p.signer.Signed(messages.CodeRoundChange, round)
		if !ok {
			t.Fatalf("no ROUND-CHANGE to round %d", round)
		}
		m := must.Get(messages.Decode(v.Code, v.Payload))(t)
		if claim := m.(*messages.RoundChange).Prepared; claim == nil || claim.Round != 0 || claim.Digest != a.Hash() {
			t.Errorf("round %d claims %+v", round, claim)
		}
	}
}
