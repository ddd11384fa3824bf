// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/messages"
)

const period = time.Second

// silenced is a chain of blocks that all validators but some have sealed, one each second. The coinbase is always validator 0, so the proposer of
// round r is validator r+1.
type silenced struct {
	*player
	from []int // who seals
	also []int // whose seals over the parent are in a block besides those
}

// silence starts a core on the fixture's head; those in from seal.
func (f *fixture) silence(i int, from ...int) *silenced {
	f.head.Header.Time = uint64(origin.Unix())
	f.head.Params.BlockPeriod = period
	return &silenced{player: f.player(i), from: from}
}

// decide gives the core so many blocks that the network has decided; the first ones after genesis have no seals over their parent.
func (s *silenced) decide(blocks int) *silenced {
	s.f.t.Helper()
	for range blocks {
		s.next(s.head.Header)
	}
	return s
}

// next gives the core a child of a header.
func (s *silenced) next(parent *types.Header) {
	s.f.t.Helper()
	block := s.child(parent)
	if len(s.also) > 0 {
		x, over := s.seals(block), s.seals(parent, append(s.also, s.from...)...)
		x.PrevPreparedSeal, x.PrevCommittedSeal = over.PreparedSeal, over.CommittedSeal
		block.Extra = x.Encode()
	}
	s.take(s.f.sealed(types.NewBlockWithHeader(block), 0, s.from...))
}

// child is a child of a header, a period later and without seals.
func (s *silenced) child(parent *types.Header) *types.Header {
	block := s.f.child(parent, "silence").Header()
	block.Time = parent.Time + uint64(period/time.Second)
	return block
}

// seals is the extra data of a header with the seals of the given validators, if any.
func (s *silenced) seals(header *types.Header, sealers ...int) *types.WBFTExtra {
	s.f.t.Helper()
	if len(sealers) > 0 {
		header = s.f.sealed(types.NewBlockWithHeader(header), 0, sealers...)
	}
	x, err := header.WBFTExtra()
	if err != nil {
		s.f.t.Fatal(err)
	}
	return x
}

// take gives the core a head a tenth of a period after its time.
func (s *silenced) take(head *types.Header) {
	s.clock = time.Unix(int64(head.Time), 0).Add(period / 10)
	s.do(NewHead{Head{Header: head, Set: s.f.set, Params: s.f.head.Params}})
}

// left is how long the round's timer runs.
func (s *silenced) left() time.Duration { return s.timers[RoundTimer].deadline.Sub(s.clock) }

// cut is what is left of a silent proposer's turn in round 0 when the parent was decided in the first tenth of its period.
const cut = period - period/10 + period/graceShare

func (s *silenced) wantLeft(what string, want time.Duration) {
	s.f.t.Helper()
	if got := s.left(); got != want {
		s.f.t.Errorf("%s: the round lasts %v, want %v", what, got, want)
	}
}

// TestSilentProposer: who has let five blocks pass is waited for only an eighth of the period after its block is due, and that is said
// once; after four it has its whole turn (spec wbft 5.5).
func TestSilentProposer(t *testing.T) {
	f := newFixture(t, 4)
	s := f.silence(2, 0, 2, 3)
	s.decide(silentAfter)
	s.wantLeft("after five blocks", 2*time.Second)
	if said := only[Silence](s.effects); len(said) > 0 {
		t.Errorf("said too early: %+v", said)
	}
	s.decide(1)
	s.wantLeft("after six", cut)
	if said := only[Silence](s.effects); len(said) != 1 || !said[0].Silent || said[0].Validator != f.address(1) {
		t.Errorf("said %+v", said)
	}
	s.decide(1)
	s.wantLeft("after seven", cut)
	if said := only[Silence](s.effects); len(said) > 0 {
		t.Errorf("said again: %+v", said)
	}
	s.expire(RoundTimer).wantState(AcceptRequest, 1)
	if len(s.sends(messages.CodeRoundChange)) != 1 {
		t.Errorf("effects %v", names(s.effects))
	}

	// A head that comes late: the grace is there all the same.
	s = f.silence(2, 0, 2, 3).decide(silentAfter + 1)
	s.clock = s.clock.Add(time.Minute)
	late := f.child(s.head.Header, "late").Header()
	late.Time = s.head.Header.Time + 1
	s.do(NewHead{Head{Header: f.sealed(types.NewBlockWithHeader(late), 0, 0, 2, 3), Set: f.set, Params: f.head.Params}})
	s.wantLeft("late head", period/graceShare)

	// In a set of seven it takes seven blocks.
	f = newFixture(t, 7)
	s = f.silence(3, 0, 3, 4, 5, 6).decide(7)
	s.wantLeft("after seven of seven", 2*time.Second)
	s.decide(1)
	s.wantLeft("after eight of seven", cut)
}

// TestSilenceAndTheWatchdog: a sign of life leaves the watchdog over a decided block alone.
func TestSilenceAndTheWatchdog(t *testing.T) {
	f := newFixture(t, 7)
	s := f.silence(4, 0, 3, 4, 5, 6).decide(8) // 1 and 2 are silent
	block := f.child(s.head.Header, "back")
	s.deliver(f.proposal(1, 0, block)).validate(block).wantState(PrePrepared, 0)
	for _, i := range []int{0, 3, 5, 6} {
		s.deliver(f.prepare(i, 0, block))
	}
	s.wantState(Prepared, 0)
	s.expire(RoundTimer)
	for _, i := range []int{0, 3, 5, 6} {
		s.deliver(f.leaves(i, s.sequence, 1))
	}
	s.wantLeft("turn of the second silent one", period/graceShare)
	for _, i := range []int{0, 3, 5, 6} {
		s.deliver(f.commit(i, 0, block))
	}
	before := s.left()
	s.deliver(f.prepare(2, 1, block))
	if s.state != Committed || s.left() != before {
		t.Errorf("%v: the watchdog ends in %v, and in %v before the sign of life", s.state, s.left(), before)
	}
}

// partedCut is what is left of the turn in round 0 of a proposer to which the connection has ended, when the parent was decided in the first tenth of
// its period.
const partedCut = period - period/10 + period/partedShare

// TestPartedProposer: whose connection ends is waited for only a quarter of the period after its block is due, at once and in its next turns, until it is
// heard again.
func TestPartedProposer(t *testing.T) {
	f := newFixture(t, 4)
	lost := PeerLost{f.address(1)}
	start := func() *silenced {
		s := f.silence(2, 0, 1, 2, 3).decide(3)
		s.wantLeft("connected", 2*time.Second)
		return s
	}
	s := start()
	s.do(lost)
	s.wantLeft("in its turn", partedCut)
	if builds := only[Build](s.effects); len(builds) != 1 || !builds[0].Proposer {
		t.Errorf("who proposes next is told to build %+v", builds)
	}
	s.do(lost)
	if len(s.effects) > 0 {
		t.Errorf("told again: %v", names(s.effects))
	}
	s.expire(RoundTimer).wantState(AcceptRequest, 1)
	s.do(PeerLost{f.address(3)})
	s.deliver(f.leaves(0, s.sequence, 2), f.leaves(1, s.sequence, 2)).wantState(AcceptRequest, 2)
	s.wantLeft("another lost one's turn in round 2", 4*period/partedShare)
	s.from = []int{0, 2, 3}
	s.decide(1).wantLeft("in its next turn", partedCut)
	s.deliver(f.commit(1, 0, types.NewBlockWithHeader(s.head.Header)))
	s.wantLeft("what it said before", partedCut)
	s.do(PeerConnected{f.address(1)})
	s.decide(1).wantLeft("connected again", partedCut)
	s.deliver(f.prepare(1, 0, f.child(s.head.Header, "x")))
	s.wantLeft("heard again", 2*time.Second)
	s.decide(1).wantLeft("heard again before", 2*time.Second)

	// Where those before this node are lost one after the other, it builds when it is the next one.
	s = f.silence(3, 0, 1, 2, 3).decide(3)
	s.do(lost)
	if builds := only[Build](s.effects); len(builds) > 0 {
		t.Errorf("who does not propose next is told to build %+v", builds)
	}
	s.do(PeerLost{f.address(2)})
	if builds := only[Build](s.effects); len(builds) != 1 || !builds[0].Proposer {
		t.Errorf("who proposes next since another loss is told to build %+v", builds)
	}

	// What others pass on, of this sequence, gives the turn back, and of a later one than the next after the loss shows that it is there.
	s = start()
	s.do(lost)
	s.clock = s.clock.Add(100 * time.Millisecond)
	s.deliver(f.prepare(1, 0, f.child(s.head.Header, "x")))
	s.wantLeft("heard", 2*time.Second-100*time.Millisecond)
	s.from = []int{0, 2, 3}
	s.decide(1).wantLeft("not heard in the next one", partedCut)
	s.deliver(f.prepare(1, 0, f.child(s.head.Header, "x")))
	s.decide(1).wantLeft("not heard in the one after", partedCut)
	s.deliver(f.prepare(1, 0, f.child(s.head.Header, "x")))
	s.decide(1).wantLeft("reached through others", 2*time.Second)
	s.decide(1).wantLeft("reached through others before", 2*time.Second)

	// Its seals in blocks show the same.
	s = start()
	s.do(lost)
	s.from = []int{0, 1, 2, 3}
	s.decide(1).wantLeft("sealed the block of the loss", partedCut)
	s.decide(1).wantLeft("sealed the next one", partedCut)
	s.decide(1).wantLeft("sealed the one after", 2*time.Second)

	// Who has proposed has its whole turn to be voted for, and nobody else's loss matters.
	s = start()
	block := f.child(s.head.Header, "proposed")
	s.deliver(f.proposal(1, 0, block))
	s.do(lost)
	s.wantLeft("lost after its proposal", 2*time.Second)
	s = start()
	s.do(PeerLost{f.address(3)})
	s.do(PeerLost{f.address(2)}) // itself
	s.do(PeerLost{f.address(0)})
	s.do(PeerLost{newFixture(t, 5).address(4)})
	s.wantLeft("others are lost", 2*time.Second)

	f.set, s.from = f.members(0, 1, 2), []int{0, 1, 2}
	if s.decide(1); len(s.parted) != 1 {
		t.Errorf("of those that have left the set %v are remembered", s.parted)
	}
	f = newFixture(t, 4)

	// Who is silent as well is waited for no longer than that.
	s = f.silence(2, 0, 2, 3).decide(8)
	s.do(lost)
	s.wantLeft("silent", cut)
	f.head.Params.BlockPeriod = 0
	s = &silenced{player: f.player(2), from: []int{0, 1, 2, 3}}
	s.decide(3)
	s.do(lost)
	s.wantLeft("no period", 2*time.Second)
}

// TestOthersAreNotSilent: the proposer that seals, and the own node, have their whole turns, whoever else is silent.
func TestOthersAreNotSilent(t *testing.T) {
	f := newFixture(t, 4)
	s := f.silence(2, 0, 1, 2).decide(20) // 3 is silent, 1 proposes
	s.wantLeft("another one is silent", 2*time.Second)
	s = f.silence(1, 0, 2, 3).decide(20) // its own seals came too late for any block
	s.wantLeft("own turn", 2*time.Second)
}

// TestSignsOfLife: every message that a validator has signed for this sequence, the next one or the one before, and every seal in a block, shows that it is
// there; a turn that had been cut short is given back.
func TestSignsOfLife(t *testing.T) {
	const silent = 8 // blocks
	late := 2*time.Second - 100*time.Millisecond
	tests := []struct {
		name    string
		ahead   int  // sequences by which the message is early
		left    bool // it says that its author has left the round
		message func(f *fixture, s *silenced) messages.Message
	}{
		{"PREPARE", 0, false, func(f *fixture, s *silenced) messages.Message { return f.prepare(1, 0, f.child(s.head.Header, "x")) }},
		{"ROUND-CHANGE", 0, true, func(f *fixture, s *silenced) messages.Message { return f.leaves(1, s.sequence, 1) }},
		{"late COMMIT", 0, false, func(f *fixture, s *silenced) messages.Message {
			return f.commit(1, 0, types.NewBlockWithHeader(s.head.Header))
		}},
		{"early PREPARE", 1, false, func(f *fixture, s *silenced) messages.Message {
			return f.prepare(1, 0, f.child(f.child(s.head.Header, "x").Header(), "y"))
		}},
	}
	for _, test := range tests {
		f := newFixture(t, 4)
		s := f.silence(2, 0, 2, 3).decide(silent)
		s.clock = s.clock.Add(100 * time.Millisecond)
		s.deliver(test.message(f, s))
		if test.left {
			s.wantLeft(test.name, cut-100*time.Millisecond)
		} else {
			s.wantLeft(test.name, late)
		}
		if said := only[Silence](s.effects); len(said) != 1 || said[0].Silent {
			t.Errorf("%s: said %+v", test.name, said)
		}
		s.decide(test.ahead + silentAfter)
		s.wantLeft(test.name+", five blocks later", 2*time.Second)
		s.decide(1)
		s.wantLeft(test.name+", six blocks later", cut)
	}

	f := newFixture(t, 4)
	s := f.silence(2, 0, 2, 3).decide(1)
	s.also = []int{1} // its seals are late, and others have them
	s.decide(silent).wantLeft("seals over the parent", 2*time.Second)
	s.also = nil
	s.decide(silentAfter-1).wantLeft("five blocks without", 2*time.Second)
	s.decide(1).wantLeft("six blocks without", cut)

	// Of somebody else: the turn remains cut.
	s.deliver(f.prepare(3, 0, f.child(s.head.Header, "x")))
	s.wantLeft("PREPARE of another", cut)
	// Of somebody who is none of them.
	forged := f.prepare(1, 0, f.child(s.head.Header, "x"))
	if err := messages.Sign(forged, newFixture(t, 5).keys[4]); err != nil {
		t.Fatal(err)
	}
	s.deliver(forged)
	s.wantLeft("PREPARE of an outsider", cut)
}

// TestEachSealIsASign: any one of the four seals that a block carries shows that who is in it is there.
func TestEachSealIsASign(t *testing.T) {
	for i, name := range []string{"none", "PREPARE", "COMMIT", "PREPARE over the parent", "COMMIT over the parent"} {
		f := newFixture(t, 4)
		s := f.silence(2, 0, 2, 3).decide(8)
		parent, block := s.head.Header, s.child(s.head.Header)
		x, over := s.seals(block, 0, 2, 3), s.seals(parent, 0, 2, 3)
		all, overAll := s.seals(block, 0, 1, 2, 3), s.seals(parent, 0, 1, 2, 3)
		x.PrevPreparedSeal, x.PrevCommittedSeal = over.PreparedSeal, over.CommittedSeal
		want := 2 * time.Second
		switch i {
		case 0:
			want = cut
		case 1:
			x.PreparedSeal = all.PreparedSeal
		case 2:
			x.CommittedSeal = all.CommittedSeal
		case 3:
			x.PrevPreparedSeal = overAll.PreparedSeal
		case 4:
			x.PrevCommittedSeal = overAll.CommittedSeal
		}
		block.Extra = x.Encode()
		s.take(block)
		s.wantLeft(name, want)
	}
}

// TestSealsOverAnEpochBlock: an epoch block is sealed by the old set and its child by the new one, in which the places may be others; the child's seals
// over the epoch block name places in the old one (spec wbft 3.1).
func TestSealsOverAnEpochBlock(t *testing.T) {
	f := newFixture(t, 4)
	next := f.set
	f.set = f.members(0, 3, 2, 1)
	s := f.silence(2, 0, 1, 2).decide(8) // places: 1 has the last one, and is silent
	f.set = next
	s.decide(1).wantLeft("epoch block", cut)
	s.from, s.also = []int{0, 2, 3}, []int{0} // the same places in both sets: the old one's are 0, 2 and 1
	s.decide(1).wantLeft("its child", 2*time.Second)
}

// leaves is validator i's ROUND-CHANGE without a certificate.
func (f *fixture) leaves(i int, sequence, to uint64) messages.Message {
	m := &messages.RoundChange{}
	m.Sequence, m.Round = sequence, to
	return f.signed(i, m)
}

// TestProposalOfTheSilent: a silent proposer that is back within the grace is voted for, in its whole turn.
func TestProposalOfTheSilent(t *testing.T) {
	f := newFixture(t, 4)
	s := f.silence(2, 0, 2, 3).decide(8)
	block := f.child(s.head.Header, "back")
	s.clock = s.clock.Add(period)
	s.deliver(f.proposal(1, 0, block)).validate(block).wantState(PrePrepared, 0)
	s.wantLeft("proposed", 2*time.Second)
}

// TestSilenceIsNotKnown: nobody is silent for a node that has not followed the blocks itself: after a jump of its head, and for one that is new in the set.
func TestSilenceIsNotKnown(t *testing.T) {
	f := newFixture(t, 4)
	s := f.silence(2, 0, 2, 3).decide(8)
	ahead := f.child(f.child(s.head.Header, "skipped").Header(), "head").Header()
	ahead.Time = s.head.Header.Time + 2
	s.next(ahead)
	s.wantLeft("jump", 2*time.Second)
	s.decide(silentAfter).wantLeft("five blocks after the jump", 2*time.Second)
	s.decide(1).wantLeft("six blocks after the jump", cut)

	f = newFixture(t, 4)
	all := f.set
	f.set = f.members(0, 3, 2)
	s = f.silence(2, 0, 1, 2).decide(8)
	s.f.set = all
	s.from = []int{0, 2, 3}
	s.do(NewHead{Head{Header: s.head.Header, Set: all, Params: f.head.Params}}) // the same head: nothing begins
	s.decide(1).wantLeft("new in the set", 2*time.Second)
	s.decide(silentAfter-1).wantLeft("five blocks in the set", 2*time.Second)
}

// TestSilenceWithoutPeriod: where blocks are made on demand nobody's turn is cut short.
func TestSilenceWithoutPeriod(t *testing.T) {
	f := newFixture(t, 4)
	s := f.silence(2, 0, 2, 3)
	f.head.Params.BlockPeriod = 0
	s.decide(8).wantLeft("no period", 2*time.Second)
}

// TestTurnIsNeverLonger: a head from the future does not make a turn longer than the protocol's (spec wbft 5.5).
func TestTurnIsNeverLonger(t *testing.T) {
	f := newFixture(t, 4)
	s := f.silence(2, 0, 2, 3).decide(8)
	s.clock = s.clock.Add(-time.Minute)
	s.do(NewHead{*s.head})
	block := f.child(s.head.Header, "early").Header()
	block.Time = s.head.Header.Time + 1
	s.do(NewHead{Head{Header: f.sealed(types.NewBlockWithHeader(block), 0, 0, 2, 3), Set: f.set, Params: f.head.Params}})
	s.wantLeft("clock behind", 2*time.Second)
}

// TestSilentAfterEachOther: rounds of silent proposers end after the grace once a quorum is in them; the first proposer who is there
// has its block ready, built when it was due, and proposes it with the quorum.
func TestSilentAfterEachOther(t *testing.T) {
	f := newFixture(t, 7)
	s := f.silence(3, 0, 3, 4, 5, 6).decide(8) // 1 and 2 are silent
	if builds := only[Build](s.effects); len(builds) != 1 || !builds[0].Proposer || builds[0].Round != 0 {
		t.Fatalf("asked for %+v", builds)
	}
	if again := f.silence(3, 0, 3, 4, 5, 6).decide(8); len(only[Build](again.expire(RoundTimer).effects)) > 0 {
		t.Error("what is being built is asked for again in another's round")
	} else {
		for _, i := range []int{0, 4, 5, 6} {
			again.deliver(f.leaves(i, again.sequence, 1))
		}
		if builds := only[Build](again.expire(RoundTimer).effects); len(builds) != 1 || !builds[0].Proposer {
			t.Errorf("asked for %+v in the own round without a block", builds)
		}
	}
	own := f.child(s.head.Header, "own")
	s.clock = s.timers[RoundTimer].deadline.Add(-period / graceShare)
	s.do(Candidate{Block: own})
	if len(s.sends(messages.CodePrePrepare)) > 0 {
		t.Fatal("proposes in the turn of another")
	}
	s.expire(RoundTimer).wantState(AcceptRequest, 1)
	if s.timers[RoundTimer].id != 0 || s.hasty {
		t.Error("the timer of round 1 runs without a quorum")
	}
	if builds := only[Build](s.effects); len(builds) > 0 {
		t.Errorf("asked for %+v although it is there", builds)
	}
	for _, i := range []int{0, 4, 5, 6} {
		s.deliver(f.leaves(i, s.sequence, 1))
	}
	s.wantLeft("round 1", period/graceShare)
	s.expire(RoundTimer).wantState(AcceptRequest, 2)
	if builds := only[Build](s.effects); len(builds) > 0 {
		t.Errorf("asked for %+v although it is there", builds)
	}
	for _, i := range []int{0, 4, 5, 6} {
		s.deliver(f.leaves(i, s.sequence, 2))
	}
	if sent := s.sends(messages.CodePrePrepare); len(sent) != 1 {
		t.Fatalf("proposals %v, effects %v", sent, names(s.effects))
	}
	s.wantLeft("round 2", 8*time.Second)

	// Who comes later in the order builds nothing.
	if later := f.silence(4, 0, 3, 4, 5, 6).decide(8); only[Build](later.effects)[0].Proposer {
		t.Error("validator 4 builds although 3 is there")
	}
}
