// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/messages"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// A quorum of PREPAREs locks the node, durably, before its COMMIT is recorded and sent.
// spec: wbft 5.7
func TestPrepareQuorum(t *testing.T) {
	f := newFixture(t, 4)
	block := f.block("a")
	p := f.player(1).toState(PrePrepared, block)
	p.deliver(f.prepare(0, 0, block)).wantEffects("Relay 0x13")
	p.deliver(f.prepare(0, 0, block)).wantDropped("duplicate")
	p.deliver(f.prepare(2, 0, block)).wantEffects("Relay 0x13", "PersistLock", "Persist 0x14", "Send 0x14")
	p.wantState(Prepared, 0)
	expect.That(t, string(p.sends(messages.CodeCommit)[0].Payload) == string(f.commit(1, 0, block).Encode()),
		"the COMMIT is not the one the protocol asks for")
	lock := must.Get(decodeCertificate(only[PersistLock](p.effects)[0].Certificate))(t)
	expect.That(t, lock.round == 0 && lock.digest == block.Hash() && p.certs.check(lock, 1) == nil, "lock %+v", lock)
}

// A validator that has voted for the head, in time or late, holds the next block, unless it has left a round since.
// spec: wbft 5.8
func TestHoldersIncludeFollowers(t *testing.T) {
	f := newFixture(t, 7)
	block := f.block("a")
	p := f.player(1).toState(Committed, block) // has PREPAREs of 0 to 4, COMMITs of 0 to 4
	p.deliver(f.prepare(5, 0, block))
	f.head.Header = f.sealed(block, 0, 0, 1, 2, 3, 4)
	p.do(NewHead{f.head})
	want := func(when string, indices ...int) {
		t.Helper()
		expect.Slice(t, p.holders(p.rounds[p.round]), f.addresses(indices...), "%s", when)
	}
	want("without votes", 0, 1, 2, 3, 4, 5)
	p.deliver(f.commit(6, 0, block))
	want("a late vote", 0, 1, 2, 3, 4, 5, 6)
	p.deliver(f.roundChange(3, 1, nil), f.roundChange(4, 2, nil))
	want("two have left", 0, 1, 2, 5, 6)

	p.deliver(f.roundChange(0, 2, nil), f.roundChange(2, 2, nil), f.roundChange(5, 2, nil), f.roundChange(6, 2, nil))
	must.Equal(t, p.round, 2, "round")
	want("in a later round")

	far := f.head
	far.Header = types.CopyHeader(f.head.Header)
	far.Header.Number = big.NewInt(9)
	p.do(NewHead{far})
	want("after a jump")

	f = newFixture(t, 8)
	old := f.set
	f.set = f.members(0, 1, 2, 3, 4, 5, 6)
	f.head.Set = f.set
	block = f.block("a")
	p = f.player(1).toState(Committed, block)
	f.head.Header, f.head.Set = f.sealed(block, 0, 0, 1, 2, 3, 4), f.members(7, 6, 5, 4, 3, 2, 1, 0)
	f.set = old
	p.do(NewHead{f.head})
	want("others, in another order", 4, 3, 2, 1, 0)
}

// The decided block carries a quorum of good seals of both kinds. Seals beyond the quorum are left to the next
// proposer.
// spec: wbft 5.7, 5.8
func TestCommitQuorum(t *testing.T) {
	f := newFixture(t, 7) // quorum 5
	block := f.block("a")
	p := f.player(1).toState(Prepared, block)
	p.deliver(f.prepare(5, 0, block), f.commit(0, 0, block), f.commit(2, 0, block), f.commit(3, 0, block))
	p.deliver(f.commit(6, 0, block)).wantEffects("Relay 0x14", "Commit", "SetTimer")
	commit := only[Commit](p.effects)[0]
	expect.That(t, commit.Round == 0 && commit.Block.Hash() == block.Hash(), "commit %+v", commit)
	x := must.Get(commit.Block.Header().WBFTExtra())(t)
	err := f.set.VerifySeal(x.PreparedSeal, extra.SealDigest(block.Header(), 0, extra.Prepare))
	expect.That(t, err == nil, "prepared seal: %v", err)
	err = f.set.VerifySeal(x.CommittedSeal, extra.SealDigest(block.Header(), 0, extra.Commit))
	expect.That(t, err == nil, "committed seal: %v", err)
	got := x.PreparedSeal.Sealers
	expect.That(t, len(got) == 1 && got[0] == 0b0011111, "prepared seal of %08b", got)
	got = x.CommittedSeal.Sealers
	expect.That(t, len(got) == 1 && got[0] == 0b1001111, "committed seal of %08b", got)
	head := f.head
	head.Header = commit.Block.Header()
	p.do(NewHead{head}).deliver(f.commit(4, 0, block))
	_, _, prepared, committed := p.LateSeals()
	f.wantIndices("late PREPAREs", prepared, 5)
	f.wantIndices("late COMMITs", committed, 4)
}

// A bad seal is found at the quorum and reported once. It does not count, and does not delay the others.
// spec: wbft 5.7, 9.4
func TestBadSeal(t *testing.T) {
	for _, kind := range []byte{extra.Prepare, extra.Commit} {
		f := newFixture(t, 4)
		block := f.block("a")
		state := PrePrepared
		vote := func(i int) messages.Message { return f.prepare(i, 0, block) }
		junk := f.signed(0, &messages.Prepare{Sequence: 1, Digest: block.Hash(), Seal: f.bls[0].Sign([]byte("junk"))})
		if kind == extra.Commit {
			state = Prepared
			vote = func(i int) messages.Message { return f.commit(i, 0, block) }
			junk = f.signed(0, &messages.Commit{Sequence: 1, Digest: block.Hash(), Seal: make([]byte, 96)})
		}
		p := f.player(1).toState(state, block)
		must.That(t, p.state != Prepared || p.rounds[0].commits.count(block.Hash()) == 1, "unexpected COMMITs")
		p.deliver(junk)
		p.deliver(vote(2)).wantFault(InvalidSeal, 0)
		p.wantState(state, 0)
		p.deliver(vote(0)).wantDropped("second attempt of a validator that was caught")
		p.deliver(vote(3)).wantState(state+1, 0)
	}
}

// The first vote of a validator counts. A different one is evidence, reported once.
// spec: wbft 9.1
func TestVoteEquivocation(t *testing.T) {
	f := newFixture(t, 4)
	a, b := f.block("a"), f.block("b")
	p := f.player(1).toState(PrePrepared, a)
	p.deliver(f.prepare(2, 0, a), f.prepare(2, 0, b)).wantFault(PrepareEquivocation, 2)
	p.deliver(f.prepare(2, 0, b)).wantDropped("reported before")
	p.deliver(f.prepare(0, 0, a)).wantState(Prepared, 0)
	p.deliver(f.commit(3, 0, b), f.commit(3, 0, a)).wantFault(CommitEquivocation, 3)
	p.deliver(f.commit(0, 0, a)).wantState(Prepared, 0)
	p.deliver(f.commit(2, 0, a)).wantState(Committed, 0)
}

// A COMMIT quorum of a round that was left decides, if the block was executed here and has a quorum of PREPAREs too.
// spec: wbft 5.4, 7.1
func TestLateCommit(t *testing.T) {
	f := newFixture(t, 4)
	block := f.block("a")
	commits := []messages.Message{f.commit(0, 0, block), f.commit(2, 0, block), f.commit(3, 0, block)}

	p := f.player(1).toState(Prepared, block).toRound(2)
	p.deliver(commits[:2]...)
	p.wantState(Committed, 2) // its own COMMIT is the third
	got := only[Commit](p.effects)
	expect.That(t, len(got) == 1 && got[0].Round == 0 && got[0].Block.Hash() == block.Hash(), "commits %+v", got)

	p = f.player(1).toState(PrePrepared, block).toRound(1).deliver(commits...)
	p.wantState(AcceptRequest, 1) // no quorum of PREPAREs yet
	p.deliver(f.prepare(0, 0, block)).wantState(AcceptRequest, 1)
	p.deliver(f.prepare(3, 0, block)).wantState(Committed, 1)

	p = f.player(1).deliver(f.proposal(0, 0, block)) // not executed yet
	p.toRound(1).deliver(commits...).deliver(f.prepare(0, 0, block), f.prepare(2, 0, block), f.prepare(3, 0, block))
	p.wantState(AcceptRequest, 1)
	p.validate(block).wantState(Committed, 1)

	p = f.player(1).toState(Prepared, block).toRound(roundWindow + 2)
	p.deliver(commits...).wantState(Committed, roundWindow+2) // the locked round is never forgotten
	p = f.player(1).toState(PrePrepared, block).toRound(roundWindow + 2)
	p.deliver(commits...).wantDropped("round that was left long ago")
}

// A decision is emitted once.
// spec: wbft 5.7
func TestCommitOnce(t *testing.T) {
	f := newFixture(t, 4)
	block := f.block("a")
	p := f.player(1).toState(Committed, block)
	p.deliver(f.commit(3, 0, block)).wantEffects("Relay 0x14")
	p.expire(RoundTimer)
	p.deliver(f.prepare(3, 0, block)).wantEffects("Relay 0x13")
}

// A PREPARE counts for its block only. A vote for another block accuses no validator.
// spec: wbft 5.7
func TestVotesForOtherBlocks(t *testing.T) {
	f := newFixture(t, 4)
	block := f.block("a")
	p := f.player(1).toState(PrePrepared, block)
	p.deliver(f.prepare(0, 0, block), f.prepare(2, 0, f.block("b"))).wantState(PrePrepared, 0)
	faults := only[Misbehavior](p.effects)
	expect.That(t, len(faults) == 0, "faults %+v", faults)
	expect.Equal(t, p.Status().Prepares, 2, "PREPAREs count")
}

// A vote with a bad seal is not verified again.
// spec: wbft 9.4
func TestBadSealIsJudgedOnce(t *testing.T) {
	f := newFixture(t, 7)
	block, other := f.block("a"), f.block("b")
	bad := func(i int) messages.Message {
		m := f.prepare(i, 0, other)
		m.Digest = block.Hash()
		return f.signed(i, &messages.Prepare{Sequence: m.Sequence, Digest: m.Digest, Seal: m.Seal})
	}
	p := f.player(1).toState(PrePrepared, block)
	p.deliver(f.prepare(0, 0, block), f.prepare(2, 0, block), f.prepare(3, 0, block), bad(4)).wantFault(InvalidSeal, 4)
	p.deliver(bad(5)).wantFault(InvalidSeal, 5)
	p.wantState(PrePrepared, 0)
}

// Seals of suspects are verified one by one and only if the quorum depends on them, also in later rounds and
// sequences. A good seal of a suspect counts.
// spec: wbft 9.4
func TestSuspectsAreVerifiedLast(t *testing.T) {
	f := newFixture(t, 7) // quorum 5
	a := f.block("a")
	junk := func(i int, round uint64, block messages.Message) messages.Message {
		m := block.(*messages.Prepare)
		return f.signed(
			i, &messages.Prepare{Sequence: m.Sequence, Round: round, Digest: m.Digest, Seal: f.bls[i].Sign([]byte("junk"))},
		)
	}
	p := f.player(1).propose(a)
	p.deliver(junk(0, 0, f.prepare(0, 0, a)), f.prepare(2, 0, a), f.prepare(3, 0, a))
	p.deliver(f.prepare(4, 0, a)).wantFault(InvalidSeal, 0)
	p.toRound(1)
	p.deliver(f.roundChange(0, 1, nil), f.roundChange(2, 1, nil), f.roundChange(3, 1, nil), f.roundChange(4, 1, nil))
	p.do(Candidate{Block: a, Round: 1}).validate(a)
	p.deliver(junk(0, 1, f.prepare(0, 1, a)), f.prepare(2, 1, a), f.prepare(3, 1, a), f.prepare(4, 1, a))
	p.wantFault(InvalidSeal, 0) // the count reaches the quorum, so it is verified
	p.deliver(f.prepare(5, 1, a)).wantState(Prepared, 1)

	head := f.head
	head.Header = f.sealed(a, 1, 1, 2, 3, 4, 5)
	p.do(NewHead{head})
	next := f.child(head.Header, "next")
	p.do(Candidate{Block: next}).validate(next) // the coinbase of the head is validator 0
	rs := p.rounds[0]
	p.deliver(f.prepare(0, 0, next), f.prepare(2, 0, next), f.prepare(3, 0, next), f.prepare(4, 0, next))
	expect.That(t, p.state == Prepared && !rs.prepares.bySender[0].bad && rs.prepares.bySender[0].verified,
		"a good seal that the quorum needs does not count: %v, %+v", p.state, rs.prepares.bySender[0])
	q := f.player(1)
	q.certs.suspect(f.address(0))
	q.deliver(f.proposal(0, 0, a))
	q.deliver(
		junk(0, 0, f.prepare(0, 0, a)), f.prepare(2, 0, a), f.prepare(3, 0, a), f.prepare(4, 0, a), f.prepare(5, 0, a),
	)
	q.validate(a).wantState(Prepared, 0)
	if v := q.rounds[0].prepares.bySender[0]; v == nil || v.bad || v.verified || len(only[Misbehavior](q.effects)) != 0 {
		t.Errorf("the seal of a suspect was verified without need: %+v", v)
	}
	later := *f.head.Header
	for number, want := range map[int64]int{suspicion - 1: 1, suspicion: 0} {
		later.Number = big.NewInt(number)
		next := q.certs.next(&later, f.set)
		expect.That(t, len(next.suspects) == want, "%d suspects in sequence %d, want %d", len(next.suspects), number+1, want)
	}
}

// Validators that have voted for the decided block hold it, with a seal in its header or not. Others do not.
// spec: wbft 5.7
func TestHolders(t *testing.T) {
	f := newFixture(t, 7) // quorum 5
	block := f.block("a")
	p := f.player(1).toState(Prepared, block)
	p.deliver(f.prepare(5, 0, f.block("b")), f.commit(0, 0, block), f.commit(2, 0, block), f.commit(3, 0, block))
	p.deliver(f.commit(4, 0, block))
	expect.Slice(t, only[Commit](p.effects)[0].Holders, f.addresses(0, 1, 2, 3, 4),
		"without a vote, and for another block")
	p = f.player(1).toState(Prepared, block)
	p.deliver(f.prepare(5, 0, block), f.commit(0, 0, block), f.commit(2, 0, block), f.commit(3, 0, block))
	p.deliver(f.commit(6, 0, block))
	expect.Slice(t, only[Commit](p.effects)[0].Holders, f.addresses(0, 1, 2, 3, 4, 5, 6), "with votes beyond the quorum")
}
