// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"math/big"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/messages"
)

// TestPrepareQuorum: a quorum of PREPAREs locks the node, durably, before its COMMIT is recorded and sent
// (spec wbft 5.7, PREPARE).
func TestPrepareQuorum(t *testing.T) {
	f := newFixture(t, 4)
	block := f.block("a")
	p := f.player(1).toState(PrePrepared, block)
	p.deliver(f.prepare(0, 0, block)).wantEffects("Relay 0x13")
	p.deliver(f.prepare(0, 0, block)).wantDropped("duplicate")
	p.deliver(f.prepare(2, 0, block)).wantEffects("Relay 0x13", "PersistLock", "Persist 0x14", "Send 0x14")
	p.wantState(Prepared, 0)
	if got := p.sends(messages.CodeCommit)[0].Payload; string(got) != string(f.commit(1, 0, block).Encode()) {
		t.Error("the COMMIT is not the one the protocol asks for")
	}
	lock, err := decodeCertificate(only[PersistLock](p.effects)[0].Certificate)
	if err != nil {
		t.Fatal(err)
	}
	if lock.round != 0 || lock.digest != block.Hash() || p.checkCertificate(lock, 1) != nil {
		t.Errorf("lock %+v", lock)
	}
}

// TestHolders: those who have voted for the decided block hold it, with a seal in its header or not; those who have not, or voted for another one, do
// not.
func TestHolders(t *testing.T) {
	f := newFixture(t, 7) // quorum 5
	block := f.block("a")
	p := f.player(1).toState(Prepared, block)
	p.deliver(f.prepare(5, 0, f.block("b")), f.commit(0, 0, block), f.commit(2, 0, block), f.commit(3, 0, block))
	p.deliver(f.commit(4, 0, block))
	if got, want := only[Commit](p.effects)[0].Holders, f.addresses(0, 1, 2, 3, 4); !slices.Equal(got, want) {
		t.Errorf("without a vote, and for another block: %v, want %v", got, want)
	}
	p = f.player(1).toState(Prepared, block)
	p.deliver(f.prepare(5, 0, block), f.commit(0, 0, block), f.commit(2, 0, block), f.commit(3, 0, block))
	p.deliver(f.commit(6, 0, block))
	if got, want := only[Commit](p.effects)[0].Holders, f.addresses(0, 1, 2, 3, 4, 5, 6); !slices.Equal(got, want) {
		t.Errorf("with votes beyond the quorum: %v, want %v", got, want)
	}
}

// TestFollowersHold: a validator that has voted for the head, in time or late, is told of the next block and not sent it, unless it has left a round since;
// with nothing known of the head only votes count.
func TestFollowersHold(t *testing.T) {
	f := newFixture(t, 7)
	block := f.block("a")
	p := f.player(1).toState(Committed, block) // has PREPAREs of 0 to 4, COMMITs of 0 to 4
	p.deliver(f.prepare(5, 0, block))
	f.head.Header = f.sealed(block, 0, 0, 1, 2, 3, 4)
	p.do(NewHead{f.head})
	want := func(when string, indices ...int) {
		t.Helper()
		if got, want := p.holders(p.rounds[p.round]), f.addresses(indices...); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", when, got, want)
		}
	}
	want("without votes", 0, 1, 2, 3, 4, 5)
	p.deliver(f.commit(6, 0, block))
	want("a late vote", 0, 1, 2, 3, 4, 5, 6)
	p.deliver(f.roundChange(3, 1, nil), f.roundChange(4, 2, nil))
	want("two have left", 0, 1, 2, 5, 6)

	p.deliver(f.roundChange(0, 2, nil), f.roundChange(2, 2, nil), f.roundChange(5, 2, nil), f.roundChange(6, 2, nil))
	if p.round != 2 {
		t.Fatalf("round %d", p.round)
	}
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

// TestCommitQuorum: the decided block carries a quorum of valid seals of both kinds, whatever came beyond it: that is verified only
// by who proposes next (spec wbft 5.7, COMMIT; 5.8).
func TestCommitQuorum(t *testing.T) {
	f := newFixture(t, 7) // quorum 5
	block := f.block("a")
	p := f.player(1).toState(Prepared, block)
	p.deliver(f.prepare(5, 0, block), f.commit(0, 0, block), f.commit(2, 0, block), f.commit(3, 0, block))
	p.deliver(f.commit(6, 0, block)).wantEffects("Relay 0x14", "Commit", "SetTimer")
	commit := only[Commit](p.effects)[0]
	if commit.Round != 0 || commit.Block.Hash() != block.Hash() {
		t.Errorf("commit %+v", commit)
	}
	x, err := commit.Block.Header().WBFTExtra()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.set.VerifySeal(x.PreparedSeal, extra.SealDigest(block.Header(), 0, extra.Prepare)); err != nil {
		t.Errorf("prepared seal: %v", err)
	}
	if err := f.set.VerifySeal(x.CommittedSeal, extra.SealDigest(block.Header(), 0, extra.Commit)); err != nil {
		t.Errorf("committed seal: %v", err)
	}
	if got := x.PreparedSeal.Sealers; len(got) != 1 || got[0] != 0b0011111 {
		t.Errorf("prepared seal of %08b", got)
	}
	if got := x.CommittedSeal.Sealers; len(got) != 1 || got[0] != 0b1001111 {
		t.Errorf("committed seal of %08b", got)
	}
	head := f.head
	head.Header = commit.Block.Header()
	p.do(NewHead{head}).deliver(f.commit(4, 0, block))
	_, _, prepared, committed := p.LateSeals()
	f.wantIndices("late PREPAREs", prepared, 5)
	f.wantIndices("late COMMITs", committed, 4)
}

// TestVotesBeforeTheProposal count when it comes, and are relayed then (spec wbft 5.4).
func TestVotesBeforeTheProposal(t *testing.T) {
	f := newFixture(t, 4)
	block := f.block("a")
	p := f.player(1)
	p.deliver(f.commit(0, 0, block), f.commit(2, 0, block), f.prepare(2, 0, block), f.prepare(0, 0, block)).wantEffects()
	p.deliver(f.prepare(3, 0, f.block("b"))).wantEffects() // another block: never relayed
	p.propose(block)
	p.wantEffects("Relay 0x12", "Persist 0x13", "Send 0x13", "Relay 0x13", "Relay 0x13", "Relay 0x14", "Relay 0x14",
		"PersistLock", "Persist 0x14", "Send 0x14", "Commit", "SetTimer")
}

// TestBadSeal: a vote with a bad seal is found out at the quorum, reported once, and neither counts nor holds up the
// others (spec wbft 5.7; 9.4 no. 1).
func TestBadSeal(t *testing.T) {
	for _, kind := range []byte{extra.Prepare, extra.Commit} {
		f := newFixture(t, 4)
		block := f.block("a")
		state := PrePrepared
		vote := func(i int) messages.Message { return f.prepare(i, 0, block) }
		junk := f.signed(0, &messages.Prepare{
			Sequence: 1, Digest: block.Hash(), Seal: f.bls[0].Sign([]byte("junk"))})
		if kind == extra.Commit {
			state = Prepared
			vote = func(i int) messages.Message { return f.commit(i, 0, block) }
			junk = f.signed(0, &messages.Commit{Sequence: 1, Digest: block.Hash(), Seal: make([]byte, 96)})
		}
		p := f.player(1).toState(state, block)
		if p.state == Prepared && p.rounds[0].commits.count(block.Hash()) != 1 {
			t.Fatal("unexpected COMMITs")
		}
		p.deliver(junk)
		p.deliver(vote(2)).wantFault(InvalidSeal, 0)
		p.wantState(state, 0)
		p.deliver(vote(0)).wantDropped("second attempt of a validator that was caught")
		p.deliver(vote(3)).wantState(state+1, 0)
	}
}

// TestVoteEquivocation: the first vote of a validator stands, a different one is evidence, reported once
// (spec wbft 9.1 no. 6).
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

// TestLateCommit: a COMMIT quorum of a round that was left decides, if this node has executed the block and a quorum
// of PREPAREs is there too: both seals are needed (spec wbft 5.4 last paragraph, 7.1 nos. 16, 17).
func TestLateCommit(t *testing.T) {
	f := newFixture(t, 4)
	block := f.block("a")
	commits := []messages.Message{f.commit(0, 0, block), f.commit(2, 0, block), f.commit(3, 0, block)}

	p := f.player(1).toState(Prepared, block).toRound(2)
	p.deliver(commits[:2]...)
	p.wantState(Committed, 2) // its own COMMIT is the third
	if got := only[Commit](p.effects); len(got) != 1 || got[0].Round != 0 || got[0].Block.Hash() != block.Hash() {
		t.Errorf("commits %+v", got)
	}

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

// TestCommitOnce: one decision is handed out once.
func TestCommitOnce(t *testing.T) {
	f := newFixture(t, 4)
	block := f.block("a")
	p := f.player(1).toState(Committed, block)
	p.deliver(f.commit(3, 0, block)).wantEffects("Relay 0x14")
	p.expire(RoundTimer)
	p.deliver(f.prepare(3, 0, block)).wantEffects("Relay 0x13")
}

// TestVotesForOtherBlocks: a PREPARE counts for its block only, and who voted for another one, as an equivocating proposer makes honest
// validators do, is accused of nothing (spec wbft 5.7).
func TestVotesForOtherBlocks(t *testing.T) {
	f := newFixture(t, 4)
	block := f.block("a")
	p := f.player(1).toState(PrePrepared, block)
	p.deliver(f.prepare(0, 0, block), f.prepare(2, 0, f.block("b"))).wantState(PrePrepared, 0)
	if faults := only[Misbehaviour](p.effects); len(faults) > 0 {
		t.Errorf("faults %+v", faults)
	}
	if n := p.Status().Prepares; n != 2 {
		t.Errorf("%d PREPAREs count", n)
	}
}

// TestBadSealIsJudgedOnce: a vote with a bad seal does not come up again with the next one (spec wbft 9.4 no. 1).
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

// TestBadSealAmongEnough: with a bad seal among more than enough votes, all there at once, the others make the quorum without waiting for another
// one (spec wbft 5.7).
func TestBadSealAmongEnough(t *testing.T) {
	f := newFixture(t, 7)
	block := f.block("a")
	p := f.player(1).deliver(f.proposal(0, 0, block))
	p.deliver(f.signed(0, &messages.Prepare{Sequence: 1, Digest: block.Hash(), Seal: f.bls[0].Sign([]byte("junk"))}))
	for _, i := range []int{2, 3, 4, 5} {
		p.deliver(f.prepare(i, 0, block))
	}
	p.validate(block).wantState(Prepared, 0)
}
