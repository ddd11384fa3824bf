// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"fmt"
	"math"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/messages"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// The ROUND-CHANGE of a locked node carries its certificate.
// spec: wbft 5.7
func TestLockedRoundChange(t *testing.T) {
	f := newFixture(t, 4)
	block := f.block("a")
	p := f.player(1).toState(Prepared, block).expire(RoundTimer)
	want := f.roundChange(1, 1, f.certificate(0, block, 0, 1, 2))
	expect.That(t, string(p.sends(messages.CodeRoundChange)[0].Payload) == string(want.Encode()),
		"the ROUND-CHANGE does not carry the certificate")
	s := p.Status()
	expect.That(t, s.Locked && s.LockedRound == 0 && s.LockedBlock == block.Hash(), "status %+v", s)
	_, _, err := p.decodeRoundChange(p.sends(messages.CodeRoundChange)[0].Payload)
	expect.Error(t, err, nil, "another node would refuse it")
}

// With F+1 senders in later rounds, counted over all of them, the lowest is joined.
// spec: wbft 3.2, 5.7
func TestJoin(t *testing.T) {
	type change struct {
		sender int
		round  uint64
	}
	tests := []struct {
		name    string
		n       int
		changes []change
		want    uint64
	}{
		{"one of three", 3, []change{{0, 1}}, 1},
		{"one of four", 4, []change{{0, 1}}, 0},
		{"two of four", 4, []change{{0, 1}, {3, 1}}, 1},
		{"one of four twice", 4, []change{{0, 1}, {0, 2}}, 0},
		{"different rounds", 4, []change{{0, 3}, {3, 2}}, 2},
		{"two of seven", 7, []change{{0, 1}, {3, 1}}, 0},
		{"three of seven", 7, []change{{0, 4}, {3, 2}, {4, 5}}, 2},
		{"two steps", 4, []change{{0, 2}, {0, 1}, {3, 2}, {3, 1}}, 2},
		{"far beyond the window", 4, []change{{0, 500}, {3, 700}}, 500},
		{"far beyond the window, one at a time", 4, []change{{0, 500}, {0, 600}, {0, 700}}, 0},
		{"far beyond the window, no faults tolerated", 3, []change{{0, 500}}, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t, test.n)
			p := f.player(2)
			for _, c := range test.changes {
				p.deliver(f.roundChange(c.sender, c.round, nil))
			}
			p.wantState(AcceptRequest, test.want)
			_, sent := p.signer.Signed(messages.CodeRoundChange, test.want)
			expect.That(t, test.want == 0 || sent, "joined without an own ROUND-CHANGE")
		})
	}
}

// The status names the validators of which there is no message in a later round: those that keep it from its end.
func TestMissingInARound(t *testing.T) {
	f := newFixture(t, 4)
	p := f.player(1)
	expect.Equal(t, fmt.Sprint(p.Status().Missing), "[]", "in round 0")
	p.expire(RoundTimer).deliver(f.roundChange(3, 1, nil))
	expect.Deep(t, p.Status().Missing, []common.Address{f.address(0), f.address(2)}, "in round 1")
}

// Beyond the window one ROUND-CHANGE of each validator is kept, to the highest round.
// spec: wbft 5.7
func TestFarRoundsAreBounded(t *testing.T) {
	f := newFixture(t, 4)
	p := f.player(2)
	for _, round := range []uint64{100, 50, 200, 150, 300} {
		p.deliver(f.roundChange(0, round, nil))
	}
	expect.That(t, len(p.roundChanges) == 1 && p.roundChanges[300] != nil && p.roundChanges[300].count == 1,
		"rounds kept: %v", sortedRounds(p.roundChanges))
	p.deliver(f.roundChange(0, 250, nil)).wantDropped("below the highest")
}

// The proposer proposes the block of the highest prepared round, also if it has never seen it, and others accept the
// justification.
// spec: wbft 5.7, 5.9
func TestPreparedBlockIsProposedAgain(t *testing.T) {
	f := newFixture(t, 4)
	a, b, own := f.block("a"), f.block("b"), f.block("own")
	p := f.player(3).toRound(3)
	p.do(Candidate{Block: own, Round: 3})
	p.deliver(f.roundChange(0, 3, f.certificate(0, a, 0, 1, 2)), f.roundChange(1, 3, f.certificate(1, b, 0, 1, 2)))
	sent := p.sends(messages.CodePrePrepare)
	must.Equal(t, len(sent), 1, "effects %v", names(p.effects))
	m := must.Get(messages.Decode(messages.CodePrePrepare, sent[0].Payload))(t)
	pp := m.(*messages.PrePrepare)
	expect.That(t, pp.Block.Hash() == b.Hash() && len(pp.Prepares) == 3 && pp.Prepares[0].Round == 1,
		"proposal %s with %d PREPAREs", pp.Block.Hash(), len(pp.Prepares))
	got := only[Execute](p.effects)
	expect.That(t, len(got) == 1 && got[0].Block.Hash() == b.Hash(), "executes %v", got)
	other := f.player(2).toRound(3).deliver(m)
	expect.Equal(t, len(only[Execute](other.effects)), 1, "another validator refuses it: %v", other.effects)
}

// The checks of a prepared certificate in a ROUND-CHANGE, one by one. The genuine ROUND-CHANGE is accepted afterwards.
// spec: wbft 9.1
func TestRefusedCertificates(t *testing.T) {
	f := newFixture(t, 5)
	f.set = f.members(0, 1, 2, 3) // 4 is a stranger
	f.head.Set = f.set
	block, other := f.block("a"), f.block("b")
	later := f.child(block.Header(), "later")
	good := func() *certificate { return f.certificate(1, block, 0, 1, 2) }
	tests := map[string]func() *certificate{
		"too few PREPAREs":       func() *certificate { return f.certificate(1, block, 0, 1) },
		"one PREPARE repeated":   func() *certificate { return f.certificate(1, block, 0, 0, 0) },
		"a stranger among them":  func() *certificate { return f.certificate(1, block, 0, 1, 4) },
		"too many":               func() *certificate { return f.certificate(1, block, 0, 1, 2, 3, 3) },
		"none at all":            func() *certificate { return f.certificate(1, block) },
		"round above":            func() *certificate { return f.certificate(3, block, 0, 1, 2) },
		"PREPAREs of two rounds": func() *certificate { c := good(); c.prepares[1] = f.prepare(1, 0, block); return c },
		"PREPARE for another":    func() *certificate { c := good(); c.prepares[1] = f.prepare(1, 1, other); return c },
		"claim of another round": func() *certificate { c := good(); c.round = 0; return c },
		"another sequence":       func() *certificate { return f.certificate(1, later, 0, 1, 2) },
		"a bad seal": func() *certificate {
			c := good()
			c.prepares[2] = f.signed(2, &messages.Prepare{
				Sequence: 1, Round: 1, Digest: block.Hash(), Seal: f.bls[2].Sign([]byte("junk"))}).(*messages.Prepare)
			return c
		},
		"seal of another round": func() *certificate {
			c := good()
			c.prepares[2] = f.signed(2, &messages.Prepare{
				Sequence: 1, Round: 1, Digest: block.Hash(), Seal: f.prepare(2, 0, block).Seal}).(*messages.Prepare)
			return c
		},
		"a PREPARE signed by another validator": func() *certificate {
			c := good()
			c.prepares[2] = f.signed(1, &messages.Prepare{
				Sequence: 1, Round: 1, Digest: block.Hash(), Seal: f.prepare(2, 1, block).Seal}).(*messages.Prepare)
			return c
		},
	}
	for name, certificate := range tests {
		t.Run(name, func(t *testing.T) {
			p := f.player(3)
			p.deliver(f.roundChange(0, 2, certificate())).wantDropped(name)
			expect.Equal(t, len(p.roundChanges), 0, "it was counted")
			p.deliver(f.roundChange(0, 2, good()))
			set := p.roundChanges[2]
			expect.That(t, set != nil && set.count == 1 && set.best() != nil, "the genuine one was refused afterwards")
		})
	}
	p := f.player(3)
	bare := f.roundChange(0, 2, good())
	bare.PreparedBlock, bare.Prepares = nil, nil
	p.deliver(bare).wantDropped("claim without a block")
}

// A validator of go-stablenet repeats its ROUND-CHANGE with a certificate once it is prepared. The better supported
// one counts, is relayed and accuses no validator, in either order.
// spec: wbft 5.5
func TestBetterSupportedRoundChange(t *testing.T) {
	f := newFixture(t, 4)
	a := f.block("a")
	plain, below, within := f.roundChange(0, 1, nil), f.roundChange(0, 1, f.certificate(0, a, 0, 1, 2)),
		f.roundChange(0, 1, f.certificate(1, a, 0, 1, 2))
	p := f.player(3)
	p.deliver(plain, plain).wantEffects("Relay 0x15", "Dropped")
	p.deliver(below).wantEffects("Relay 0x15")
	p.deliver(within).wantEffects("Relay 0x15")
	if set := p.roundChanges[1]; set.count != 1 || set.best() == nil || set.best().round != 1 {
		t.Errorf("%d counted, best %+v", set.count, set.best())
	}
	p.deliver(below).wantDropped("not as well supported")
	p.deliver(plain).wantDropped("not as well supported")
	best := p.roundChanges[1].best()
	expect.That(t, best != nil && best.round == 1, "an older one has replaced a newer one")
	expect.That(t, !p.roundChanges[1].accused[0], "an older one that came late is held against its author")

	// A bad certificate does not count.
	forged := f.roundChange(0, 1, f.certificate(0, a, 0, 1))
	q := f.player(3).deliver(plain)
	q.deliver(forged).wantDropped("worse certificate")
	expect.That(t, q.roundChanges[1].best() == nil, "a ROUND-CHANGE was replaced by one with a forged certificate")
}

// No honest validator is prepared for two blocks in one round.
// spec: wbft 9.1
func TestRoundChangeEquivocation(t *testing.T) {
	f := newFixture(t, 4)
	p := f.player(3)
	first := f.roundChange(0, 1, f.certificate(0, f.block("a"), 0, 1, 2))
	second := f.roundChange(0, 1, f.certificate(0, f.block("b"), 0, 1, 2))
	p.deliver(first).wantEffects("Relay 0x15")
	p.deliver(second).wantFault(RoundChangeEquivocation, 0)
	if evidence := only[Misbehavior](p.effects)[0].Evidence; len(evidence[0])+len(evidence[1]) > 1024 {
		t.Errorf("evidence of %d and %d bytes: unsigned parts are left out", len(evidence[0]), len(evidence[1]))
	}
	p.deliver(second).wantDropped("accused before")
	set := p.roundChanges[1]
	expect.That(t, set.count == 1 && set.best().digest == first.Prepared.Digest, "the second one was counted")
}

// The last round is the highest one that a header can express, and the node stays there.
// spec: wbft 1.2
func TestLastRound(t *testing.T) {
	f := newFixture(t, 4)
	p := f.player(2)
	p.deliver(f.roundChange(0, math.MaxUint32, nil), f.roundChange(3, math.MaxUint32, nil))
	p.wantState(AcceptRequest, math.MaxUint32)
	p.expire(RoundTimer).wantEffects("Failed", "SetTimer")
	p.wantState(AcceptRequest, math.MaxUint32)
}

// A certificate does not outlive the ROUND-CHANGE that claimed it: a proposer could not justify its use.
// spec: wbft 5.7
func TestSupersededClaim(t *testing.T) {
	f := newFixture(t, 7) // quorum 5, three to join
	a := f.block("a")
	self := 300 % 7
	p := f.player(self).do(Candidate{Block: f.block("own")})
	p.deliver(f.roundChange(0, 300, f.certificate(0, a, 0, 1, 2, 3, 4)), f.roundChange(1, 300, nil))
	p.deliver(f.roundChange(0, 400, nil)) // beyond the window one is kept
	p.deliver(
		f.roundChange(2, 300, nil), f.roundChange(3, 300, nil), f.roundChange(4, 300, nil), f.roundChange(5, 300, nil),
	)
	p.wantState(AcceptRequest, 300)
	sent := p.sends(messages.CodePrePrepare)
	must.Equal(t, len(sent), 1, "effects %v", names(p.effects))
	other := f.player(2).do(Message{Code: messages.CodePrePrepare, Payload: sent[0].Payload})
	expect.Equal(t, len(only[Execute](other.effects)), 1, "another validator refuses the proposal: %v", other.effects)
	// A ROUND-CHANGE whose certificate fails supersedes nothing.
	p = f.player(self)
	p.deliver(f.roundChange(0, 300, nil), f.roundChange(0, 400, f.certificate(0, a, 0, 1)))
	set := p.roundChanges[300]
	expect.That(t, set != nil && set.bySender[0] != nil, "the one before is gone")
}

// With a quorum of ROUND-CHANGEs the proposer proposes the value that was prepared in the
// highest round, or its own if none was. spec: wbft 5.7
func TestProposesHighestPreparedValue(t *testing.T) {
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
			must.That(t, len(p.sends(messages.CodePrePrepare)) == 0, "proposes without a quorum")
			p.deliver(test.changes[1])
			sent := p.sends(messages.CodePrePrepare)
			must.Equal(t, len(sent), 1, "effects %v", names(p.effects))
			m := must.Get(messages.Decode(messages.CodePrePrepare, sent[0].Payload))(t)
			got, want := m.(*messages.PrePrepare).Block.Hash(), f.block(test.want).Hash()
			expect.That(t, got == want, "proposes %v, want block %s", got, test.want)
		})
	}
}
