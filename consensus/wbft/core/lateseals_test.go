// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/validators"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// wantIndices checks the sealers of a sum.
func (f *fixture) wantIndices(what string, seal *types.WBFTSeal, want ...int) {
	f.t.Helper()
	var got []int
	if seal != nil {
		var err error
		got, err = validators.DecodeSealers(seal.Sealers, f.set.Len())
		must.Do(f.t, err)
	}
	expect.Slice(f.t, got, want, "%s", what)
}

// Late seals are the good votes for the head beyond its stored header, from before and after the decision, of the
// stored round only, each once.
// spec: wbft 5.8, 9.2
func TestLateSeals(t *testing.T) {
	f := newFixture(t, 7)
	block, other := f.block("a"), f.block("b")
	p := f.player(1).toState(Committed, block) // has PREPAREs of 0 to 4, COMMITs of 0 to 4
	p.deliver(f.prepare(5, 0, block))
	head := f.head
	head.Header = f.sealed(block, 0, 0, 1, 2, 3, 6) // decided and stored with other seals
	p.do(NewHead{head})
	r, digest, _, _ := p.LateSeals()
	expect.That(t, r == 0 && digest == block.Hash(), "round %d, digest %s", r, digest)
	_, _, prepared, committed := p.LateSeals()
	f.wantIndices("PREPARE seals", prepared, 4, 5)
	f.wantIndices("COMMIT seals", committed, 4)

	p.deliver(f.commit(5, 0, block)).wantEffects("Relay 0x14")
	p.deliver(f.commit(5, 0, block)).wantDropped("duplicate")
	p.deliver(f.commit(6, 1, block)).wantDropped("another round")
	p.deliver(f.prepare(6, 0, other)).wantDropped("another block")
	p.deliver(f.signed(6, &messages.Prepare{Sequence: 1, Digest: block.Hash(), Seal: f.bls[6].Sign([]byte("junk"))}))
	_, _, prepared, committed = p.LateSeals()
	f.wantIndices("PREPARE seals", prepared, 4, 5)
	f.wantIndices("COMMIT seals", committed, 4, 5)

	f.wantJoined(head.Header, prepared, committed)
}

// wantJoined checks that late seals joined with those of a header are good.
func (f *fixture) wantJoined(header *types.Header, prepared, committed *types.WBFTSeal) {
	f.t.Helper()
	x := must.Get(header.WBFTExtra())(f.t)
	for _, kind := range []struct {
		code         byte
		sealed, late *types.WBFTSeal
	}{{extra.Prepare, x.PreparedSeal, prepared}, {extra.Commit, x.CommittedSeal, committed}} {
		seal := must.Get(f.set.Join(kind.sealed, kind.late))(f.t)
		err := f.set.VerifySeal(seal, extra.SealDigest(header, x.Round, kind.code))
		expect.That(f.t, err == nil, "joined seal %#x: %v", kind.code, err)
	}
}

// If the head was stored with another round than the one decided here, only seals of the stored round are offered.
// spec: wbft 5.8
func TestLateSealsOfAnotherRound(t *testing.T) {
	f := newFixture(t, 4)
	block := f.block("a")
	p := f.player(1).toState(Committed, block)
	head := f.head
	head.Header = f.sealed(block, 2, 0, 1, 2)
	p.do(NewHead{head})
	round, _, prepared, committed := p.LateSeals()
	expect.Equal(t, round, 2, "round")
	f.wantIndices("PREPARE seals", prepared)
	f.wantIndices("COMMIT seals", committed)
	p.deliver(f.commit(3, 0, block)).wantDropped("round of the own decision")
	p.deliver(f.commit(3, 2, block)).wantEffects("Relay 0x14")
	_, _, _, committed = p.LateSeals()
	f.wantIndices("COMMIT seals", committed, 3)
}

// opposites returns two points whose sum is zero. Added to two seals they spoil both and leave their sum.
func (f *fixture) opposites() (shift, back []byte) {
	shift = f.bls[0].Sign([]byte("any point will do"))
	return shift, negated(shift)
}

// offset returns a vote whose seal is off by a point.
func (f *fixture) offset(code uint64, i int, block *types.Block, by []byte) messages.Message {
	if code == messages.CodePrepare {
		return f.signed(
			i, &messages.Prepare{Sequence: 1, Digest: block.Hash(), Seal: f.plus(f.prepare(i, 0, block).Seal, by)},
		)
	}
	return f.signed(i, &messages.Commit{Sequence: 1, Digest: block.Hash(), Seal: f.plus(f.commit(i, 0, block).Seal, by)})
}

// COMMIT seals are used in sum, so their sum is verified. PREPAREs are used one by one, so each is verified.
// spec: wbft 5.7, 5.9
func TestOffsettingSealsInQuorum(t *testing.T) {
	f := newFixture(t, 7)
	block := f.block("a")
	shift, back := f.opposites()

	p := f.player(1).toState(Prepared, block)
	p.deliver(
		f.commit(0, 0, block), f.offset(messages.CodeCommit, 3, block, shift),
		f.offset(messages.CodeCommit, 4, block, back), f.commit(2, 0, block),
	)
	p.wantState(Committed, 0)
	sealed := only[Commit](p.effects)[0].Block.Header()
	f.wantJoined(sealed, nil, nil)

	p = f.player(1).toState(Prepared, block)
	p.deliver(
		f.commit(0, 0, block), f.offset(messages.CodeCommit, 3, block, shift), f.commit(4, 0, block), f.commit(2, 0, block),
	)
	p.wantState(Prepared, 0)
	expect.That(t, p.certs.isSuspect(f.address(3)) && !p.certs.isSuspect(f.address(4)),
		"it is not the one with a bad COMMIT seal that is suspected")
	p.deliver(f.offset(messages.CodeCommit, 5, block, back)).wantState(Prepared, 0)
	p.deliver(f.commit(6, 0, block)).wantState(Committed, 0)
	f.wantJoined(only[Commit](p.effects)[0].Block.Header(), nil, nil)

	p = f.player(1).toState(PrePrepared, block)
	p.deliver(
		f.prepare(0, 0, block), f.offset(messages.CodePrepare, 3, block, shift),
		f.offset(messages.CodePrepare, 4, block, back), f.prepare(2, 0, block),
	)
	p.wantState(PrePrepared, 0)
	expect.That(t, p.certs.isSuspect(f.address(3)) && p.certs.isSuspect(f.address(4)),
		"bad PREPARE seals with a good sum were not found")
	p.deliver(f.prepare(5, 0, block), f.prepare(6, 0, block)).wantState(Prepared, 0)
}

// Seals that were accepted in sum are not verified again, and their authors are no suspects. Seals of suspects count
// by themselves.
// spec: wbft 5.8
func TestVerifiedSumsStayWhole(t *testing.T) {
	f := newFixture(t, 10) // quorum 7
	block := f.block("a")
	shift, back := f.opposites()
	eight, nine := f.offset(messages.CodeCommit, 8, block, shift), f.offset(messages.CodeCommit, 9, block, back)
	head := f.head
	head.Header = f.sealed(block, 0, 0, 1, 2, 3, 4, 5, 6)

	p := f.player(1).do(NewHead{head}).deliver(eight, nine, f.prepare(7, 0, block))
	_, _, prepared, committed := p.LateSeals()
	f.wantIndices("PREPARE seals", prepared, 7)
	f.wantIndices("COMMIT seals of two that agreed", committed, 8, 9)
	p.deliver(f.signed(7, &messages.Commit{Sequence: 1, Digest: block.Hash(), Seal: shift}))
	_, _, _, committed = p.LateSeals()
	f.wantIndices("COMMIT seals, and a bad one later", committed, 8, 9)
	expect.That(t, p.certs.isSuspect(f.address(7)) && !p.certs.isSuspect(f.address(8)) && !p.certs.isSuspect(f.address(9)),
		"suspects %v", p.certs.suspects)

	p = f.player(1).do(NewHead{head})
	p.certs.suspect(f.address(8))
	p.deliver(eight, nine, f.commit(7, 0, block))
	_, _, _, committed = p.LateSeals()
	f.wantIndices("COMMIT seals, one of a suspect", committed, 7)
}

// No seal of a verified sum is left out, because the others need not be good without it.
// spec: wbft 5.7
func TestVerifiedSumIsUsedWhole(t *testing.T) {
	f := newFixture(t, 10) // quorum 7
	block := f.block("a")
	shift, back := f.opposites()
	p := f.player(1).deliver(f.proposal(0, 0, block))
	for _, i := range []int{0, 2, 3, 4, 5, 6, 7} {
		p.deliver(f.prepare(i, 0, block))
	}
	// All votes are there at the decision. The bad seal of 0 fails the first seven, then the others are verified together.
	p.deliver(f.signed(0, &messages.Commit{Sequence: 1, Digest: block.Hash(), Seal: shift}))
	for _, i := range []int{2, 3, 4, 5, 6, 9} {
		p.deliver(f.commit(i, 0, block))
	}
	p.deliver(f.offset(messages.CodeCommit, 7, block, shift), f.offset(messages.CodeCommit, 8, block, back))
	p.validate(block).wantState(Committed, 0)
	x := must.Get(only[Commit](p.effects)[0].Block.Header().WBFTExtra())(t)
	f.wantIndices("COMMIT seals", x.CommittedSeal, 1, 2, 3, 4, 5, 6, 7, 8, 9)
	f.wantJoined(only[Commit](p.effects)[0].Block.Header(), nil, nil)
}

// Late PREPAREs and COMMITs are verified together. Bad seals are found, also if seals of both kinds offset each other.
// spec: wbft 5.8
func TestLateSealsOfBothKinds(t *testing.T) {
	f := newFixture(t, 7)
	block := f.block("a")
	shift, back := f.opposites()
	prepare, commit := f.prepare(5, 0, block), f.commit(5, 0, block)
	badPrepare := f.signed(5, &messages.Prepare{Sequence: 1, Digest: block.Hash(), Seal: f.plus(prepare.Seal, shift)})
	badCommit := f.signed(5, &messages.Commit{Sequence: 1, Digest: block.Hash(), Seal: f.plus(commit.Seal, back)})
	for name, test := range map[string]struct {
		prepare, commit     messages.Message
		prepared, committed []int
	}{
		"good":        {prepare, commit, []int{4, 5}, []int{4, 5}},
		"bad PREPARE": {badPrepare, commit, []int{4}, []int{4, 5}},
		"bad COMMIT":  {prepare, badCommit, []int{4, 5}, []int{4}},
		"both bad":    {badPrepare, badCommit, []int{4}, []int{4}},
	} {
		t.Run(name, func(t *testing.T) {
			p := f.player(1).toState(Committed, block)
			head := f.head
			head.Header = f.sealed(block, 0, 0, 1, 2, 3, 6)
			p.do(NewHead{head})
			p.deliver(test.prepare, test.commit)
			for range 2 { // the second time all seals are known
				_, _, prepared, committed := p.LateSeals()
				f.wantIndices(name+": PREPARE seals", prepared, test.prepared...)
				f.wantIndices(name+": COMMIT seals", committed, test.committed...)
			}
			bad := name != "good"
			expect.That(t, p.certs.isSuspect(f.set.At(5).Address) == bad, "%s: suspected: %t", name, !bad)
		})
	}
}

// No late seals are offered for genesis, or after the chain jumped over blocks.
// spec: wbft 5.8
func TestNoLateSeals(t *testing.T) {
	f := newFixture(t, 4)
	p := f.player(1)
	_, digest, _, _ := p.LateSeals()
	expect.That(t, digest == [32]byte{}, "late seals for genesis")
	a := f.block("a")
	b := f.child(a.Header(), "b")
	head := f.head
	head.Header = f.sealed(b, 0, 0, 1, 2)
	p.do(NewHead{head})
	_, digest, _, _ = p.LateSeals()
	expect.That(t, digest == [32]byte{}, "late seals for a head whose set is unknown")
	p.deliver(f.commit(3, 0, b)).wantDropped("vote for such a head")
}

// An older head and the same head change nothing. The chain may jump over blocks.
// spec: wbft 5.3
func TestHeads(t *testing.T) {
	f := newFixture(t, 4)
	p := f.player(3).toRound(1)
	p.clock = p.clock.Add(time.Second)
	p.deliver(f.roundChange(0, 1, nil), f.roundChange(2, 1, nil))
	p.clock = p.clock.Add(500 * time.Millisecond)
	p.do(NewHead{f.head}).wantEffects("Dropped", "Build", "SetTimer", "SetTimer")
	p.wantState(AcceptRequest, 1)
	if timers := only[SetTimer](p.effects); timers[0].Delay != 3500*time.Millisecond ||
		timers[1].Delay != 500*time.Millisecond {
		t.Errorf("timers %+v", timers) // of the round and of the repetition
	}
	p.propose(f.block("x")).wantState(PrePrepared, 1)
	p.do(NewHead{f.head}).wantEffects("Dropped", "SetTimer")
	p = f.player(2).deliver(f.proposal(0, 0, f.block("x")))
	p.do(NewHead{f.head}).wantEffects("Dropped", "SetTimer", "Execute")
	p.validate(f.block("x")).wantState(PrePrepared, 0)
	a := f.block("a")
	b := f.child(a.Header(), "b")
	high := f.head
	high.Header = f.sealed(b, 0, 0, 1, 2)
	p.do(NewHead{high}).wantEffects("Build", "SetTimer")
	expect.That(t, p.sequence == 3 && p.round == 0 && p.lock == nil, "sequence %d, round %d", p.sequence, p.round)
	p.do(NewHead{f.head}).wantDropped("an older head")
	expect.Equal(t, p.sequence, 3, "sequence")
}
