// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"maps"
	"slices"
	"testing"

	"gwon/consensus/wbft/messages"
)

func wantIndices(t *testing.T, what string, seals map[int][]byte, want ...int) {
	t.Helper()
	if got := slices.Sorted(maps.Keys(seals)); !slices.Equal(got, want) {
		t.Errorf("%s of %v, want %v", what, got, want)
	}
}

// TestLateSeals: votes for the head that its stored header does not have, from before and after the decision, of the
// stored round only, each once, and all good (spec wbft 5.8, 9.2 no. 10).
func TestLateSeals(t *testing.T) {
	f := newFixture(t, 7)
	block, other := f.block("a"), f.block("b")
	p := f.player(1).toState(Committed, block) // has PREPAREs of 0 to 4, COMMITs of 0 to 4
	p.deliver(f.prepare(5, 0, block))
	head := f.head
	head.Header = f.sealed(block, 0, 0, 1, 2, 3, 6) // decided and stored with other seals
	p.do(NewHead{head})
	if r, digest, _, _ := p.LateSeals(); r != 0 || digest != block.Hash() {
		t.Errorf("round %d, digest %s", r, digest)
	}
	_, _, prepared, committed := p.LateSeals()
	wantIndices(t, "PREPARE seals", prepared, 4, 5)
	wantIndices(t, "COMMIT seals", committed, 4)

	p.deliver(f.commit(5, 0, block)).wantEffects("Relay 0x14")
	p.deliver(f.commit(5, 0, block)).wantDropped("duplicate")
	p.deliver(f.commit(6, 1, block)).wantDropped("another round")
	p.deliver(f.prepare(6, 0, other)).wantDropped("another block")
	p.deliver(f.signed(6, &messages.Prepare{Sequence: 1, Digest: block.Hash(), Seal: f.bls[6].Sign([]byte("junk"))}))
	_, _, prepared, committed = p.LateSeals()
	wantIndices(t, "PREPARE seals", prepared, 4, 5)
	wantIndices(t, "COMMIT seals", committed, 4, 5)

	x, err := head.Header.WBFTExtra()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.set.Merge(x.CommittedSeal, committed); err != nil {
		t.Errorf("merging: %v", err)
	}
}

// TestLateSealsOfAnotherRound: if the head was stored with another round than the one this node decided in, only seals
// of the stored round may be merged.
func TestLateSealsOfAnotherRound(t *testing.T) {
	f := newFixture(t, 4)
	block := f.block("a")
	p := f.player(1).toState(Committed, block)
	head := f.head
	head.Header = f.sealed(block, 2, 0, 1, 2)
	p.do(NewHead{head})
	round, _, prepared, committed := p.LateSeals()
	if round != 2 {
		t.Errorf("round %d", round)
	}
	wantIndices(t, "PREPARE seals", prepared)
	wantIndices(t, "COMMIT seals", committed)
	p.deliver(f.commit(3, 0, block)).wantDropped("round of the own decision")
	p.deliver(f.commit(3, 2, block)).wantEffects("Relay 0x14")
	_, _, _, committed = p.LateSeals()
	wantIndices(t, "COMMIT seals", committed, 3)
}

// TestSealsThatOnlyHoldTogether: two validators that agree on two bad seals with a good sum cannot spoil the next
// header, whichever of them is in the stored one.
func TestLateSealsAreJudgedBySet(t *testing.T) {
	f := newFixture(t, 7)
	block := f.block("a")
	p := f.player(1).toState(Committed, block)
	head := f.head
	head.Header = f.sealed(block, 0, 0, 1, 2, 3, 4)
	next := f.members(6, 5, 4, 3) // the seals of the head are those of the set before
	head.Set = next
	p.do(NewHead{head})
	p.deliver(f.commit(0, 0, block)).wantDropped("known")
	p.deliver(f.commit(5, 0, block)).wantEffects("Relay 0x14")
	_, _, _, committed := p.LateSeals()
	wantIndices(t, "COMMIT seals", committed, 5)
}

// TestNoLateSeals: nothing is offered for genesis, or when the chain jumped.
func TestNoLateSeals(t *testing.T) {
	f := newFixture(t, 4)
	p := f.player(1)
	if _, digest, _, _ := p.LateSeals(); digest != [32]byte{} {
		t.Error("late seals for genesis")
	}
	a := f.block("a")
	b := f.child(a.Header(), "b")
	head := f.head
	head.Header = f.sealed(b, 0, 0, 1, 2)
	p.do(NewHead{head})
	if _, digest, _, _ := p.LateSeals(); digest != [32]byte{} {
		t.Error("late seals for a head whose set is unknown")
	}
	p.deliver(f.commit(3, 0, b)).wantDropped("vote for such a head")
}

// TestHeads: an older head and the same one again change nothing; several blocks at once are fine (spec wbft 5.3).
func TestHeads(t *testing.T) {
	f := newFixture(t, 4)
	p := f.player(1).toRound(1)
	p.do(NewHead{f.head}).wantDropped("the same head")
	p.wantState(AcceptRequest, 1)
	a := f.block("a")
	b := f.child(a.Header(), "b")
	high := f.head
	high.Header = f.sealed(b, 0, 0, 1, 2)
	p.do(NewHead{high}).wantEffects("Build", "SetTimer")
	if p.sequence != 3 || p.round != 0 || p.lock != nil {
		t.Errorf("sequence %d, round %d", p.sequence, p.round)
	}
	p.do(NewHead{f.head}).wantDropped("an older head")
	if p.sequence != 3 {
		t.Errorf("sequence %d", p.sequence)
	}
}
