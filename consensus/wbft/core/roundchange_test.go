// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"math"
	"testing"

	"gwon/consensus/wbft/messages"
)

// TestTimeout: a round that times out is left with a ROUND-CHANGE, recorded before it is sent (spec wbft 5.5).
func TestTimeout(t *testing.T) {
	f := newFixture(t, 4)
	p := f.player(2)
	p.expire(RoundTimer).wantEffects("Build", "Persist 0x15", "Send 0x15", "SetTimer")
	p.wantState(AcceptRequest, 1)
	if b := only[Build](p.effects)[0]; b != (Build{Sequence: 1, Round: 1}) {
		t.Errorf("build %+v", b)
	}
	if got := p.sends(messages.CodeRoundChange)[0].Payload; string(got) != string(f.roundChange(2, 1, nil).Encode()) {
		t.Error("the ROUND-CHANGE is not the one the protocol asks for")
	}
	p.deliver(f.roundChange(0, 1, nil), f.roundChange(3, 1, nil)).expire(RoundTimer)
	if b := only[Build](p.effects)[0]; b != (Build{Sequence: 1, Round: 2, Proposer: true}) {
		t.Errorf("build %+v", b)
	}
}

// TestLockedRoundChange: a locked node's ROUND-CHANGE carries its certificate (spec wbft 5.7).
func TestLockedRoundChange(t *testing.T) {
	f := newFixture(t, 4)
	block := f.block("a")
	p := f.player(1).toState(Prepared, block).expire(RoundTimer)
	want := f.roundChange(1, 1, f.certificate(0, block, 0, 1, 2))
	if got := p.sends(messages.CodeRoundChange)[0].Payload; string(got) != string(want.Encode()) {
		t.Error("the ROUND-CHANGE does not carry the certificate")
	}
	if s := p.Status(); !s.Locked || s.LockedRound != 0 || s.LockedBlock != block.Hash() {
		t.Errorf("status %+v", s)
	}
	if _, _, err := p.decodeRoundChange(p.sends(messages.CodeRoundChange)[0].Payload); err != nil {
		t.Errorf("another node would refuse it: %v", err)
	}
}

// TestJoin is the F+1 rule (spec wbft 3.2, 5.7): the senders are counted over all higher rounds, the lowest of those is
// joined.
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
			if _, sent := p.signed.get(messages.CodeRoundChange, test.want); test.want > 0 && !sent {
				t.Error("joined without an own ROUND-CHANGE")
			}
		})
	}
}

// TestFarRoundsAreBounded: beyond the window one ROUND-CHANGE of each validator is kept, the one to the highest round.
func TestFarRoundsAreBounded(t *testing.T) {
	f := newFixture(t, 4)
	p := f.player(2)
	for _, round := range []uint64{100, 50, 200, 150, 300} {
		p.deliver(f.roundChange(0, round, nil))
	}
	if len(p.changes) != 1 || p.changes[300] == nil || p.changes[300].count != 1 {
		t.Errorf("rounds kept: %v", pendingRounds(p.changes))
	}
	p.deliver(f.roundChange(0, 250, nil)).wantDropped("below the highest")
}

// TestProposerProposesThePreparedBlock of the highest prepared round among the ROUND-CHANGEs (spec wbft 5.7), even if it
// has never seen it before, and others accept the justification (5.9).
func TestProposerProposesThePreparedBlock(t *testing.T) {
	f := newFixture(t, 4)
	a, b, own := f.block("a"), f.block("b"), f.block("own")
	p := f.player(3).toRound(3)
	p.do(Candidate{Block: own, Round: 3})
	p.deliver(f.roundChange(0, 3, f.certificate(0, a, 0, 1, 2)), f.roundChange(1, 3, f.certificate(1, b, 0, 1, 2)))
	sent := p.sends(messages.CodePrePrepare)
	if len(sent) != 1 {
		t.Fatalf("effects %v", names(p.effects))
	}
	m, err := messages.Decode(messages.CodePrePrepare, sent[0].Payload)
	if err != nil {
		t.Fatal(err)
	}
	pp := m.(*messages.PrePrepare)
	if pp.Block.Hash() != b.Hash() || len(pp.Prepares) != 3 || pp.Prepares[0].Round != 1 {
		t.Errorf("proposal %s with %d PREPAREs", pp.Block.Hash(), len(pp.Prepares))
	}
	if got := only[Execute](p.effects); len(got) != 1 || got[0].Block.Hash() != b.Hash() {
		t.Errorf("executes %v", got)
	}
	other := f.player(2).toRound(3).deliver(m)
	if len(only[Execute](other.effects)) != 1 {
		t.Errorf("another validator refuses it: %v", other.effects)
	}
}

// TestRefusedCertificates goes through the checks of a prepared certificate in a ROUND-CHANGE one by one
// (spec wbft 9.1 no. 2). The ROUND-CHANGE is dropped; the genuine one is welcome afterwards.
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
		"a PREPARE signed by somebody else": func() *certificate {
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
			if len(p.changes) != 0 {
				t.Error("it was counted")
			}
			p.deliver(f.roundChange(0, 2, good()))
			if set := p.changes[2]; set == nil || set.count != 1 || set.best() == nil {
				t.Error("the genuine one was refused afterwards")
			}
		})
	}
	p := f.player(3)
	bare := f.roundChange(0, 2, good())
	bare.PreparedBlock, bare.Prepares = nil, nil
	p.deliver(bare).wantDropped("claim without a block")
}

// TestUnclaimedCertificate: PREPAREs without a claim are ignored; references that dropped a bad block send them
// (spec wbft 4.2, 5.3).
func TestUnclaimedCertificate(t *testing.T) {
	f := newFixture(t, 4)
	m := f.roundChange(0, 1, nil)
	m.Prepares = f.certificate(0, f.block("a"), 0, 1, 2).prepares
	p := f.player(3).deliver(m)
	if set := p.changes[1]; set == nil || set.count != 1 || set.best() != nil {
		t.Errorf("changes %+v", set)
	}
}

// TestBetterSupportedRoundChange: a validator of the reference repeats its ROUND-CHANGE, and once it is prepared in that round it
// adds the certificate (spec wbft 5.5). The better supported one stands, is relayed and accuses nobody, in either order.
func TestBetterSupportedRoundChange(t *testing.T) {
	f := newFixture(t, 4)
	a := f.block("a")
	plain, below, within := f.roundChange(0, 1, nil), f.roundChange(0, 1, f.certificate(0, a, 0, 1, 2)),
		f.roundChange(0, 1, f.certificate(1, a, 0, 1, 2))
	p := f.player(3)
	p.deliver(plain, plain).wantEffects("Relay 0x15", "Dropped")
	p.deliver(below).wantEffects("Relay 0x15")
	p.deliver(within).wantEffects("Relay 0x15")
	if set := p.changes[1]; set.count != 1 || set.best() == nil || set.best().round != 1 {
		t.Errorf("%d counted, best %+v", set.count, set.best())
	}
	p.deliver(below).wantDropped("not as well supported")
	p.deliver(plain).wantDropped("not as well supported")
	if best := p.changes[1].best(); best == nil || best.round != 1 {
		t.Error("an older one has replaced a newer one")
	}
	if p.changes[1].accused[0] {
		t.Error("an older one that came late is held against its author")
	}

	// The certificate has to be good for that.
	forged := f.roundChange(0, 1, f.certificate(0, a, 0, 1))
	q := f.player(3).deliver(plain)
	q.deliver(forged).wantDropped("worse certificate")
	if q.changes[1].best() != nil {
		t.Error("a ROUND-CHANGE was replaced by one with a forged certificate")
	}
}

// TestRoundChangeEquivocation: nobody is prepared for two blocks in one round.
func TestRoundChangeEquivocation(t *testing.T) {
	f := newFixture(t, 4)
	p := f.player(3)
	first := f.roundChange(0, 1, f.certificate(0, f.block("a"), 0, 1, 2))
	second := f.roundChange(0, 1, f.certificate(0, f.block("b"), 0, 1, 2))
	p.deliver(first).wantEffects("Relay 0x15")
	p.deliver(second).wantFault(RoundChangeEquivocation, 0)
	if evidence := only[Misbehaviour](p.effects)[0].Evidence; len(evidence[0])+len(evidence[1]) > 1024 {
		t.Errorf("evidence of %d and %d bytes: what nobody has signed is left out", len(evidence[0]), len(evidence[1]))
	}
	p.deliver(second).wantDropped("accused before")
	if set := p.changes[1]; set.count != 1 || set.best().digest != first.Prepared.Digest {
		t.Error("the second one was counted")
	}
}

// TestLastRound: rounds end with what a header can express; the node stays there (spec wbft 1.2).
func TestLastRound(t *testing.T) {
	f := newFixture(t, 4)
	p := f.player(2)
	p.deliver(f.roundChange(0, math.MaxUint32, nil), f.roundChange(3, math.MaxUint32, nil))
	p.wantState(AcceptRequest, math.MaxUint32)
	p.expire(RoundTimer).wantEffects("Failed", "SetTimer")
	p.wantState(AcceptRequest, math.MaxUint32)
}
