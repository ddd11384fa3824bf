// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"errors"
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/messages"
	"gwon/internal/expect"
	"gwon/internal/must"
)

var errTest = errors.New("does not execute")

// A proposal is executed before it is voted for. The vote is recorded before it is sent.
// spec: wbft 9.1
func TestExecutedBeforePrepare(t *testing.T) {
	f := newFixture(t, 4)
	p := f.player(1)
	block := f.block("a")
	p.deliver(f.proposal(0, 0, block)).wantEffects("SetTimer", "Execute")
	p.wantState(AcceptRequest, 0)
	p.validate(block).wantEffects("Relay 0x12", "Persist 0x13", "Send 0x13")
	p.wantState(PrePrepared, 0)
	vote := only[Persist](p.effects)[0].Vote
	expect.That(t, vote.Sequence == 1 && vote.Round == 0 && vote.Digest == block.Hash(), "recorded vote %+v", vote)
	expect.Equal(t, string(vote.Payload), string(f.prepare(1, 0, block).Encode()),
		"the PREPARE is not the one the protocol asks for")
}

// The proposer of round 0 sends its candidate at once, and handles it like any proposal.
// spec: wbft 5.6, 5.7
func TestOwnProposal(t *testing.T) {
	f := newFixture(t, 4)
	p := f.player(0)
	block := f.block("a")
	p.do(Candidate{Block: block}).wantEffects("Persist 0x12", "Send 0x12", "SetTimer", "Execute")
	expect.That(t, string(p.sends(messages.CodePrePrepare)[0].Payload) == string(f.proposal(0, 0, block).Encode()),
		"the PRE-PREPARE is not the one the protocol asks for")
	p.validate(block).wantEffects("Persist 0x13", "Send 0x13")
	p.do(Candidate{Block: f.block("b")}).wantEffects() // one proposal for a view
	if other := f.player(1); len(other.do(Candidate{Block: block}).effects) != 0 {
		t.Errorf("candidate of another validator: %v", names(other.effects))
	}
}

// A proposer whose own block is invalid proposes no other one in the view.
// spec: wbft 5.7
func TestOwnInvalidProposal(t *testing.T) {
	f := newFixture(t, 4)
	block := f.block("a")
	p := f.player(0).do(Candidate{Block: block})
	p.do(Validated{Hash: block.Hash(), Err: errTest}).wantEffects("SetTimer", "Failed")
	p.do(Candidate{Block: block}).wantEffects()
	p.do(Candidate{Block: f.block("b")}).wantEffects()
}

// The only validator of a set decides its candidate.
// spec: wbft 5.7
func TestOnlyValidatorDecides(t *testing.T) {
	f := newFixture(t, 1)
	p := f.player(0)
	block := f.block("a")
	p.do(Candidate{Block: block})
	p.validate(block)
	p.wantEffects("Persist 0x13", "Send 0x13", "PersistLock", "Persist 0x14", "Send 0x14", "Commit", "SetTimer")
}

// The reasons to refuse a proposal, one by one.
// spec: wbft 5.7
func TestRefusedProposals(t *testing.T) {
	f := newFixture(t, 4)
	good := f.block("a")
	change := func(edit func(h *types.Header)) *types.Block {
		h := types.CopyHeader(good.Header())
		edit(h)
		return types.NewBlockWithHeader(h)
	}
	tests := map[string]*messages.PrePrepare{
		"not the proposer": f.proposal(2, 0, good),
		"block of another sequence": f.signed(0, &messages.PrePrepare{
			Sequence: 1, Block: change(func(h *types.Header) { h.Number = big.NewInt(2) })}).(*messages.PrePrepare),
		"block of the sequence above 64 bits": f.signed(0, &messages.PrePrepare{
			Sequence: 1, Block: change(func(h *types.Header) { h.Number.Add(h.Number, new(big.Int).Lsh(big.NewInt(1), 64)) }),
		}).(*messages.PrePrepare),
		"not a child of the head": f.proposal(0, 0, change(func(h *types.Header) { h.ParentHash[0]++ })),
		"difficulty":              f.proposal(0, 0, change(func(h *types.Header) { h.Difficulty = big.NewInt(2) })),
		"extraData":               f.proposal(0, 0, change(func(h *types.Header) { h.Extra = []byte("junk") })),
	}
	for name, m := range tests {
		t.Run(name, func(t *testing.T) {
			f.player(1).deliver(m).wantDropped(name)
		})
	}
	p := f.player(2).toRound(1)
	p.deliver(f.signed(1, &messages.PrePrepare{Sequence: 1, Round: 1, Block: good})).wantDropped("no justification")
	// The justification is not signed: a bad one must not keep a good one out.
	p.deliver(f.proposal(1, 1, good)).wantEffects("SetTimer", "Execute")
}

// A proposal from the future is examined again later. Until then it is neither voted for nor relayed, and gains its
// proposer no time.
// spec: wbft 5.7
func TestProposalFromTheFuture(t *testing.T) {
	f := newFixture(t, 4)
	p := f.player(1)
	block := f.block("a")
	before := p.timing.timers[RoundTimer].deadline
	p.clock = p.clock.Add(100 * time.Millisecond)
	p.deliver(f.proposal(0, 0, block))
	p.do(Validated{Hash: block.Hash(), Err: errTest, RetryAfter: 300 * time.Millisecond})
	p.wantEffects("SetTimer", "SetTimer")
	got := p.timing.timers[RoundTimer].deadline
	expect.That(t, got.Equal(before), "deadline of the round %v, want %v", got, before)
	p.expire(ProposalTimer).wantEffects("Execute")
	expect.Equal(t, p.clock.Sub(origin), 400*time.Millisecond, "examined again after")
	p.validate(block).wantEffects("SetTimer", "Relay 0x12", "Persist 0x13", "Send 0x13")
	expect.Equal(t, p.timing.timers[RoundTimer].deadline.Sub(p.clock), 2*time.Second, "round timer restarted with")
}

// An invalid proposal is reported and not relayed. It makes room for another one, but not for any number.
// spec: wbft 5.7
func TestInvalidProposalIsReported(t *testing.T) {
	f := newFixture(t, 4)
	p := f.player(1)
	for i, tag := range []string{"a", "b"} {
		block := f.block(tag)
		p.deliver(f.proposal(0, 0, block))
		must.Equal(t, len(only[Execute](p.effects)), 1, "proposal %d is not executed: %v", i, names(p.effects))
		p.do(Validated{Hash: block.Hash(), Err: errTest}).wantFault(InvalidProposal, 0)
		expect.Equal(t, len(only[Relay](p.effects)), 0, "an invalid proposal was relayed")
		p.deliver(f.proposal(0, 0, block)).wantDropped("the same again")
	}
	p.deliver(f.proposal(0, 0, f.block("c"))).wantDropped("third proposal")
	p.wantState(AcceptRequest, 0)
	p.validate(f.block("a")).wantDropped("verdict without a request")
}

// The first proposal of a view counts. A second one is evidence, reported once.
// spec: wbft 9.1
func TestProposerEquivocation(t *testing.T) {
	f := newFixture(t, 4)
	p := f.player(1)
	first, second := f.proposal(0, 0, f.block("a")), f.proposal(0, 0, f.block("b"))
	p.deliver(first, second).wantFault(ProposalEquivocation, 0)
	fault := only[Misbehavior](p.effects)[0]
	expect.That(t, string(fault.Evidence[0]) == string(first.Encode()) &&
		string(fault.Evidence[1]) == string(second.Encode()), "the evidence is not the two proposals")
	p.deliver(second).wantDropped("reported before")
	p.validate(f.block("a")).wantState(PrePrepared, 0)
}

// A proposal that this key has signed out of turn, elsewhere, comes with an imported vote log. The proposer, which
// then proposes another block, is not accused of two proposals.
// spec: wbft 9.1
func TestRecordedProposalOutOfTurn(t *testing.T) {
	f := newFixture(t, 4)
	a, b := f.block("a"), f.block("b")
	own := Vote{Code: messages.CodePrePrepare, Sequence: 1, Digest: a.Hash(), Payload: f.proposal(2, 0, a).Encode()}
	p := f.restartedWith(2, Restored{Sequences: []RestoredSequence{{Sequence: 1, Votes: []Vote{own}}}})
	p.deliver(f.proposal(0, 0, b)).wantDropped("the view has a proposal")
	faults := only[Misbehavior](p.effects)
	expect.That(t, len(faults) == 0, "accused: %+v", faults)
}

// A candidate that breaks a rule is not proposed. An older candidate does not replace a newer one.
// spec: wbft 5.6
func TestCandidates(t *testing.T) {
	f := newFixture(t, 4)
	p := f.player(1)
	p.do(Candidate{Block: f.child(f.block("a").Header(), "later")}).wantDropped("later sequence")
	p.do(Candidate{Block: f.block("new"), Round: 1})
	p.do(Candidate{Block: f.block("old"), Round: 0}).wantDropped("older candidate")
	expect.Equal(t, p.candidate.newest.Block.Hash(), f.block("new").Hash(), "the older candidate won")
}

// A node that has decided stays in its round until the head comes, also for a justified proposal of a later round.
// spec: wbft 5.7
func TestProposalAwaitingHead(t *testing.T) {
	f := newFixture(t, 4)
	block := f.block("a")
	p := f.player(2).toState(Committed, block)
	p.deliver(f.proposal(1, 1, f.block("b"))).wantDropped("proposal of a later round")
	p.wantState(Committed, 0)
}

// A justified proposal of a later round shows a quorum there. The node follows, sends its ROUND-CHANGE and counts the
// votes that came before.
// spec: wbft 5.9
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
		expect.That(t, len(p.sends(messages.CodeRoundChange)) == 1 && len(only[Execute](p.effects)) == 1,
			"round %d: effects %v", round, names(p.effects))
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
	// The lock is kept.
	p = f.player(3).toState(Prepared, a)
	p.deliver(f.proposal(2, 2, f.block("b")))
	got := p.sends(messages.CodeRoundChange)
	expect.That(t, len(got) == 1 && string(got[0].Payload) == string(f.roundChange(3, 2, p.lock).Encode()),
		"effects %v", names(p.effects))
}

// A local failure says nothing about the proposal. The check is repeated, no validator is accused, and the proposal
// stays.
// spec: wbft 5.7
func TestLocalErrorIsNotMisbehavior(t *testing.T) {
	f := newFixture(t, 4)
	a := f.block("a")
	p := f.player(1).deliver(f.proposal(0, 0, a))
	for range 4 {
		p.do(Validated{Hash: a.Hash(), Err: errTest, Local: true, RetryAfter: 70 * time.Millisecond})
		must.That(t, len(only[Misbehavior](p.effects)) == 0 && len(only[Failed](p.effects)) == 1,
			"effects %v", names(p.effects))
		expect.Equal(t, p.timing.timers[ProposalTimer].deadline.Sub(p.clock), 70*time.Millisecond, "looks again after")
		p.deliver(f.proposal(0, 0, a)).wantDropped("the same proposal again")
		p.expire(ProposalTimer).wantEffects("Execute")
	}
	p.validate(a).wantState(PrePrepared, 0)
}
