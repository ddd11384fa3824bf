// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/messages"
	"gwon/internal/expect"
	"gwon/internal/must"
)

const period = time.Second

// observed is a core on a chain of one block a second that only some validators seal. The coinbase is always validator
// 0, so the proposer of round r is validator r+1.
type observed struct {
	*player
	from []int // sealers of every block
	also []int // further sealers of the parent, in the next block
}

// observe starts a core on the head of the fixture. The validators in from seal.
func (f *fixture) observe(i int, from ...int) *observed {
	f.head.Header.Time = uint64(origin.Unix())
	f.head.Params.BlockPeriod = period
	return &observed{player: f.player(i), from: from}
}

// decide gives the core further decided blocks. The first one has no seals over its parent.
func (s *observed) decide(blocks int) *observed {
	s.f.t.Helper()
	for range blocks {
		s.next(s.head.Header)
	}
	return s
}

// next gives the core a child of a header.
func (s *observed) next(parent *types.Header) {
	s.f.t.Helper()
	block := s.child(parent)
	if len(s.also) > 0 {
		x, over := s.seals(block), s.seals(parent, append(s.also, s.from...)...)
		x.PrevPreparedSeal, x.PrevCommittedSeal = over.PreparedSeal, over.CommittedSeal
		block.Extra = x.Encode()
	}
	s.take(s.f.sealed(types.NewBlockWithHeader(block), 0, s.from...))
}

// child returns a child of a header, a period later and without seals.
func (s *observed) child(parent *types.Header) *types.Header {
	block := s.f.child(parent, "observed").Header()
	block.Time = parent.Time + uint64(period/time.Second)
	return block
}

// seals returns the extra data of a header with the seals of the given validators, if any.
func (s *observed) seals(header *types.Header, sealers ...int) *types.WBFTExtra {
	s.f.t.Helper()
	if len(sealers) > 0 {
		header = s.f.sealed(types.NewBlockWithHeader(header), 0, sealers...)
	}
	x := must.Get(header.WBFTExtra())(s.f.t)
	return x
}

// take gives the core a head a tenth of a period after its time.
func (s *observed) take(head *types.Header) {
	s.clock = time.Unix(int64(head.Time), 0).Add(period / 10)
	s.do(NewHead{Head{Header: head, Set: s.f.set, Params: s.f.head.Params}})
}

// left returns the rest of the round's timer.
func (s *observed) left() time.Duration { return s.timing.timers[RoundTimer].deadline.Sub(s.clock) }

// unresponsiveWait is the timer of round 0 for an unresponsive proposer, a tenth of a period after the time of the
// parent.
const unresponsiveWait = period - period/10 + period/unresponsiveShare

func (s *observed) wantLeft(what string, want time.Duration) {
	s.f.t.Helper()
	expect.Equal(s.f.t, s.left(), want, "%s: the round lasts", what)
}

// The grace of a proposer follows from its presence alone. spec: wbft 5.5
func TestGraceByPresence(t *testing.T) {
	f := newFixture(t, 4)
	const due = 300 * time.Millisecond
	other := f.address(1)
	for _, test := range []struct {
		name      string
		note      func(*presence)
		proposer  int
		round     uint64
		period    time.Duration
		want      time.Duration
		shortened bool
	}{
		{name: "present", proposer: 2, period: period},
		{name: "unresponsive", proposer: 1, period: period, want: period/8 + due, shortened: true},
		{name: "unresponsive in a later round", proposer: 1, round: 3, period: period, want: period/8 + due, shortened: true},
		{name: "heard again", note: func(p *presence) { p.hear(other, 7) }, proposer: 1, period: period},
		{name: "sealed a block", note: func(p *presence) { p.sealed(other, 6, 6) }, proposer: 1, period: period},
		{name: "this node", proposer: 0, period: period},
		{name: "no member", proposer: 4, period: period},
		{name: "no period", proposer: 1},
		{
			name: "disconnected", note: func(p *presence) { p.disconnect(f.address(2)) },
			proposer: 2, period: period, want: period/4 + due, shortened: true,
		},
		{
			name: "disconnected, round 2", note: func(p *presence) { p.disconnect(f.address(2)) },
			proposer: 2, round: 2, period: period, want: period + due, shortened: true,
		},
		{
			name: "disconnected and heard in this sequence", proposer: 2, period: period,
			note: func(p *presence) { p.disconnect(f.address(2)); p.hear(f.address(2), 7) },
		},
		{
			name: "disconnected and heard in the last sequence", proposer: 2, period: period,
			note: func(p *presence) { p.disconnect(f.address(2)); p.hear(f.address(2), 6) },
			want: period/4 + due, shortened: true,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newPresence(f.address(0))
			p.open(1, f.set)
			for _, i := range []int{2, 3} {
				p.sealed(f.address(i), 6, 6)
			}
			p.open(7, f.set)
			if test.note != nil {
				test.note(&p)
			}
			proposer := newFixture(t, 5).address(test.proposer)
			wait, shortened := p.grace(proposer, test.round, test.period, due)
			expect.That(t, wait == test.want && shortened == test.shortened,
				"grace %v, shortened %t; want %v, %t", wait, shortened, test.want, test.shortened)
		})
	}
}

// A proposer that was not heard in more than five blocks gets an eighth of the period after its block is due. That is
// reported once.
// spec: wbft 5.5
func TestUnresponsiveProposerHasShortenedTimeout(t *testing.T) {
	f := newFixture(t, 4)
	s := f.observe(2, 0, 2, 3)
	s.decide(unresponsiveAfter)
	s.wantLeft("after five blocks", 2*time.Second)
	said := only[PresenceChange](s.effects)
	expect.That(t, len(said) == 0, "reported too early: %+v", said)
	s.decide(1)
	s.wantLeft("after six", unresponsiveWait)
	said = only[PresenceChange](s.effects)
	expect.That(t, len(said) == 1 && said[0].Unresponsive && said[0].Validator == f.address(1), "reported %+v", said)
	s.decide(1)
	s.wantLeft("after seven", unresponsiveWait)
	said = only[PresenceChange](s.effects)
	expect.That(t, len(said) == 0, "reported again: %+v", said)
	s.expire(RoundTimer).wantState(AcceptRequest, 1)
	expect.That(t, len(s.sends(messages.CodeRoundChange)) == 1, "effects %v", names(s.effects))

	// A head that comes late does not take the grace.
	s = f.observe(2, 0, 2, 3).decide(unresponsiveAfter + 1)
	s.clock = s.clock.Add(time.Minute)
	late := f.child(s.head.Header, "late").Header()
	late.Time = s.head.Header.Time + 1
	s.do(NewHead{Head{Header: f.sealed(types.NewBlockWithHeader(late), 0, 0, 2, 3), Set: f.set, Params: f.head.Params}})
	s.wantLeft("late head", period/unresponsiveShare)

	// In a set of seven a validator is unresponsive after seven blocks.
	f = newFixture(t, 7)
	s = f.observe(3, 0, 3, 4, 5, 6).decide(7)
	s.wantLeft("after seven of seven", 2*time.Second)
	s.decide(1)
	s.wantLeft("after eight of seven", unresponsiveWait)
}

// A sign of life does not change the watchdog over a decided block.
// spec: wbft 9.2
func TestSignOfLifeLeavesWatchdogAlone(t *testing.T) {
	f := newFixture(t, 7)
	s := f.observe(4, 0, 3, 4, 5, 6).decide(8) // 1 and 2 are unresponsive
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
	s.wantLeft("second unresponsive proposer", period/unresponsiveShare)
	for _, i := range []int{0, 3, 5, 6} {
		s.deliver(f.commit(i, 0, block))
	}
	before := s.left()
	s.deliver(f.prepare(2, 1, block))
	expect.That(t, s.state == Committed && s.left() == before,
		"%v: the watchdog ends in %v, and in %v before the sign of life", s.state, s.left(), before)
}

// disconnectedWait is the timer of round 0 for a disconnected proposer at the same time.
const disconnectedWait = period - period/10 + period/disconnectedShare

// A disconnected proposer gets a quarter of the period after its block is due, at once and in its next rounds, until
// it is heard again.
// spec: wbft 5.5
func TestDisconnectedProposerHasShortenedTimeout(t *testing.T) {
	f := newFixture(t, 4)
	lost := PeerLost{f.address(1)}
	start := func() *observed {
		s := f.observe(2, 0, 1, 2, 3).decide(3)
		s.wantLeft("connected", 2*time.Second)
		return s
	}
	s := start()
	s.do(lost)
	s.wantLeft("in its round", disconnectedWait)
	builds := only[Build](s.effects)
	expect.That(t, len(builds) == 1 && builds[0].Proposer, "the next proposer is asked to build %+v", builds)
	s.do(lost)
	expect.That(t, len(s.effects) == 0, "reported again: %v", names(s.effects))
	s.expire(RoundTimer).wantState(AcceptRequest, 1)
	s.do(PeerLost{f.address(3)})
	s.deliver(f.leaves(0, s.sequence, 2), f.leaves(1, s.sequence, 2)).wantState(AcceptRequest, 2)
	s.wantLeft("another disconnected proposer in round 2", 4*period/disconnectedShare)
	s.from = []int{0, 2, 3}
	s.decide(1).wantLeft("in its next round", disconnectedWait)
	s.deliver(f.commit(1, 0, types.NewBlockWithHeader(s.head.Header)))
	s.wantLeft("message from before", disconnectedWait)
	s.do(PeerConnected{f.address(1)})
	s.decide(1).wantLeft("connected again", disconnectedWait)
	s.deliver(f.prepare(1, 0, f.child(s.head.Header, "x")))
	s.wantLeft("heard again", 2*time.Second)
	s.decide(1).wantLeft("heard again before", 2*time.Second)

	// If the proposers before this node disconnect one after the other, it builds once it is the next one.
	s = f.observe(3, 0, 1, 2, 3).decide(3)
	s.do(lost)
	builds = only[Build](s.effects)
	expect.That(t, len(builds) == 0, "a later proposer is asked to build %+v", builds)
	s.do(PeerLost{f.address(2)})
	if builds := only[Build](s.effects); len(builds) != 1 || !builds[0].Proposer {
		t.Errorf("the next proposer after another loss is asked to build %+v", builds)
	}

	// A relayed message of this sequence restores the timeout. One of two sequences later ends the disconnection.
	s = start()
	s.do(lost)
	s.clock = s.clock.Add(100 * time.Millisecond)
	s.deliver(f.prepare(1, 0, f.child(s.head.Header, "x")))
	s.wantLeft("heard", 2*time.Second-100*time.Millisecond)
	s.from = []int{0, 2, 3}
	s.decide(1).wantLeft("not heard in the next one", disconnectedWait)
	s.deliver(f.prepare(1, 0, f.child(s.head.Header, "x")))
	s.decide(1).wantLeft("not heard in the one after", disconnectedWait)
	s.deliver(f.prepare(1, 0, f.child(s.head.Header, "x")))
	s.decide(1).wantLeft("reached through others", 2*time.Second)
	s.decide(1).wantLeft("reached through others before", 2*time.Second)

	// Its seals in blocks end it too.
	s = start()
	s.do(lost)
	s.from = []int{0, 1, 2, 3}
	s.decide(1).wantLeft("sealed the block of the loss", disconnectedWait)
	s.decide(1).wantLeft("sealed the next one", disconnectedWait)
	s.decide(1).wantLeft("sealed the one after", 2*time.Second)

	// After its proposal a proposer has the whole timeout. Other disconnections have no effect.
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
	s.decide(1)
	expect.That(t, len(s.presence.disconnected) == 1, "former members are remembered: %v", s.presence.disconnected)
	f = newFixture(t, 4)

	// An unresponsive proposer that disconnects gets no more than its grace.
	s = f.observe(2, 0, 2, 3).decide(8)
	s.do(lost)
	s.wantLeft("unresponsive", unresponsiveWait)
	f.head.Params.BlockPeriod = 0
	s = &observed{player: f.player(2), from: []int{0, 1, 2, 3}}
	s.decide(3)
	s.do(lost)
	s.wantLeft("no period", 2*time.Second)
}

// Every message that a validator signs for this sequence, the next one or the one before, and every seal in a block,
// is a sign of life. It restores the whole timeout.
// spec: wbft 5.5
func TestSignOfLifeRestoresTimeout(t *testing.T) {
	const gone = 8 // blocks
	late := 2*time.Second - 100*time.Millisecond
	tests := []struct {
		name    string
		ahead   int  // sequences by which the message is early
		left    bool // its author has left the round
		message func(f *fixture, s *observed) messages.Message
	}{
		{
			"PREPARE",
			0,
			false,
			func(f *fixture, s *observed) messages.Message { return f.prepare(1, 0, f.child(s.head.Header, "x")) },
		},
		{"ROUND-CHANGE", 0, true, func(f *fixture, s *observed) messages.Message { return f.leaves(1, s.sequence, 1) }},
		{"late COMMIT", 0, false, func(f *fixture, s *observed) messages.Message {
			return f.commit(1, 0, types.NewBlockWithHeader(s.head.Header))
		}},
		{"early PREPARE", 1, false, func(f *fixture, s *observed) messages.Message {
			return f.prepare(1, 0, f.child(f.child(s.head.Header, "x").Header(), "y"))
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t, 4)
			s := f.observe(2, 0, 2, 3).decide(gone)
			s.clock = s.clock.Add(100 * time.Millisecond)
			s.deliver(test.message(f, s))
			if test.left {
				s.wantLeft(test.name, unresponsiveWait-100*time.Millisecond)
			} else {
				s.wantLeft(test.name, late)
			}
			said := only[PresenceChange](s.effects)
			expect.That(t, len(said) == 1 && !said[0].Unresponsive, "%s: reported %+v", test.name, said)
			s.decide(test.ahead + unresponsiveAfter)
			s.wantLeft(test.name+", five blocks later", 2*time.Second)
			s.decide(1)
			s.wantLeft(test.name+", six blocks later", unresponsiveWait)
		})
	}

	f := newFixture(t, 4)
	s := f.observe(2, 0, 2, 3).decide(1)
	s.also = []int{1} // its seals come late, in the next block
	s.decide(gone).wantLeft("seals over the parent", 2*time.Second)
	s.also = nil
	s.decide(unresponsiveAfter-1).wantLeft("five blocks without", 2*time.Second)
	s.decide(1).wantLeft("six blocks without", unresponsiveWait)

	// A message of another validator restores nothing.
	s.deliver(f.prepare(3, 0, f.child(s.head.Header, "x")))
	s.wantLeft("PREPARE of another", unresponsiveWait)
	// Nor does one of an outsider.
	forged := f.prepare(1, 0, f.child(s.head.Header, "x"))
	must.Do(t, messages.Sign(forged, newFixture(t, 5).keys[4]))
	s.deliver(forged)
	s.wantLeft("PREPARE of an outsider", unresponsiveWait)
}

// Each of the four seals of a block shows the presence of its sealers.
// spec: wbft 5.5
func TestSealsAreSignsOfLife(t *testing.T) {
	for i, name := range []string{"none", "PREPARE", "COMMIT", "PREPARE over the parent", "COMMIT over the parent"} {
		f := newFixture(t, 4)
		s := f.observe(2, 0, 2, 3).decide(8)
		parent, block := s.head.Header, s.child(s.head.Header)
		x, over := s.seals(block, 0, 2, 3), s.seals(parent, 0, 2, 3)
		all, overAll := s.seals(block, 0, 1, 2, 3), s.seals(parent, 0, 1, 2, 3)
		x.PrevPreparedSeal, x.PrevCommittedSeal = over.PreparedSeal, over.CommittedSeal
		want := 2 * time.Second
		switch i {
		case 0:
			want = unresponsiveWait
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

// The seals over an epoch block in its child name positions in the old set.
// spec: wbft 3.1
func TestSealsOverEpochBlockNameOldSet(t *testing.T) {
	f := newFixture(t, 4)
	next := f.set
	f.set = f.members(0, 3, 2, 1)
	s := f.observe(2, 0, 1, 2).decide(8) // 1 has the last position and is unresponsive
	f.set = next
	s.decide(1).wantLeft("epoch block", unresponsiveWait)
	s.from, s.also = []int{0, 2, 3}, []int{0} // the same positions in both sets; in the old one they are of 0, 2 and 1
	s.decide(1).wantLeft("its child", 2*time.Second)
}

// leaves returns validator i's ROUND-CHANGE without a certificate.
func (f *fixture) leaves(i int, sequence, to uint64) messages.Message {
	m := &messages.RoundChange{}
	m.Sequence, m.Round = sequence, to
	return f.signed(i, m)
}

// No validator is unresponsive for a node whose head jumped over blocks, and none that is new in the set.
// spec: wbft 5.5
func TestPresenceIsUnknownAfterJump(t *testing.T) {
	f := newFixture(t, 4)
	s := f.observe(2, 0, 2, 3).decide(8)
	ahead := f.child(f.child(s.head.Header, "skipped").Header(), "head").Header()
	ahead.Time = s.head.Header.Time + 2
	s.next(ahead)
	s.wantLeft("jump", 2*time.Second)
	s.decide(unresponsiveAfter).wantLeft("five blocks after the jump", 2*time.Second)
	s.decide(1).wantLeft("six blocks after the jump", unresponsiveWait)

	f = newFixture(t, 4)
	all := f.set
	f.set = f.members(0, 3, 2)
	s = f.observe(2, 0, 1, 2).decide(8)
	s.f.set = all
	s.from = []int{0, 2, 3}
	s.do(NewHead{Head{Header: s.head.Header, Set: all, Params: f.head.Params}}) // the same head: nothing begins
	s.decide(1).wantLeft("new in the set", 2*time.Second)
	s.decide(unresponsiveAfter-1).wantLeft("five blocks in the set", 2*time.Second)
}

// A head from the future does not make a timeout longer than that of the protocol.
// spec: wbft 5.5
func TestGraceNeverExceedsTimeout(t *testing.T) {
	f := newFixture(t, 4)
	s := f.observe(2, 0, 2, 3).decide(8)
	s.clock = s.clock.Add(-time.Minute)
	s.do(NewHead{*s.head})
	block := f.child(s.head.Header, "early").Header()
	block.Time = s.head.Header.Time + 1
	s.do(NewHead{Head{Header: f.sealed(types.NewBlockWithHeader(block), 0, 0, 2, 3), Set: f.set, Params: f.head.Params}})
	s.wantLeft("clock behind", 2*time.Second)
}

// Rounds of unresponsive proposers end after the grace once a quorum is in them. The first present proposer has its
// block ready and proposes it with the quorum.
// spec: wbft 5.5, 5.7
func TestConsecutiveUnresponsiveProposers(t *testing.T) {
	f := newFixture(t, 7)
	s := f.observe(3, 0, 3, 4, 5, 6).decide(8) // 1 and 2 are unresponsive
	builds := only[Build](s.effects)
	must.That(t, len(builds) == 1 && builds[0].Proposer && builds[0].Round == 0, "requested %+v", builds)
	if again := f.observe(3, 0, 3, 4, 5, 6).decide(8); len(only[Build](again.expire(RoundTimer).effects)) > 0 {
		t.Error("the candidate is requested again in another round")
	} else {
		for _, i := range []int{0, 4, 5, 6} {
			again.deliver(f.leaves(i, again.sequence, 1))
		}
		builds := only[Build](again.expire(RoundTimer).effects)
		expect.That(t, len(builds) == 1 && builds[0].Proposer, "requested %+v in the own round without a block", builds)
	}
	own := f.child(s.head.Header, "own")
	s.clock = s.timing.timers[RoundTimer].deadline.Add(-period / unresponsiveShare)
	s.do(Candidate{Block: own})
	must.That(t, len(s.sends(messages.CodePrePrepare)) == 0, "proposes in the round of another validator")
	s.expire(RoundTimer).wantState(AcceptRequest, 1)
	expect.That(t, s.timing.timers[RoundTimer].id == 0 && !s.timing.shortened,
		"the timer of round 1 runs without a quorum")
	builds = only[Build](s.effects)
	expect.That(t, len(builds) == 0, "requested %+v although it is there", builds)
	for _, i := range []int{0, 4, 5, 6} {
		s.deliver(f.leaves(i, s.sequence, 1))
	}
	s.wantLeft("round 1", period/unresponsiveShare)
	s.expire(RoundTimer).wantState(AcceptRequest, 2)
	builds = only[Build](s.effects)
	expect.That(t, len(builds) == 0, "requested %+v although it is there", builds)
	for _, i := range []int{0, 4, 5, 6} {
		s.deliver(f.leaves(i, s.sequence, 2))
	}
	sent := s.sends(messages.CodePrePrepare)
	must.That(t, len(sent) == 1, "proposals %v, effects %v", sent, names(s.effects))
	s.wantLeft("round 2", 8*time.Second)

	// A later proposer builds nothing.
	expect.That(t, !only[Build](f.observe(4, 0, 3, 4, 5, 6).decide(8).effects)[0].Proposer,
		"validator 4 builds although 3 is there")
}
