// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"testing"

	"gwon/consensus/wbft/messages"
	"gwon/internal/expect"
)

// receivers returns the validators to which relays of a code and author would go.
func (p *player) receivers(relays []Relay, code uint64, author int) []int {
	p.f.t.Helper()
	var list []int
	for _, r := range p.StillNeeded(relays) {
		if r.Code != code || r.Author != p.f.address(author) {
			continue
		}
		for _, a := range r.To {
			i, _ := p.f.set.Index(a)
			list = append(list, i)
		}
	}
	return list
}

// A deferred relay goes to the validators that have not shown to have the message, never to its author, and to none
// after the decision.
// spec: wbft 4.4
func TestDeferredRelaysStillNeeded(t *testing.T) {
	f := newFixture(t, 7) // quorum 5
	block := f.block("a")
	p := f.player(1)
	var relays []Relay
	see := func(list ...messages.Message) {
		p.deliver(list...)
		relays = append(relays, only[Relay](p.effects)...)
	}
	want := func(what string, code uint64, author int, want ...int) {
		t.Helper()
		expect.Slice(t, p.receivers(relays, code, author), want, "%s: goes to", what)
	}
	see(f.proposal(0, 0, block))
	p.validate(block)
	relays = append(relays, only[Relay](p.effects)...)
	want("proposal", messages.CodePrePrepare, 0, 2, 3, 4, 5, 6)
	see(f.prepare(2, 0, block))
	see(f.prepare(3, 0, f.block("b")))
	want("proposal, one has voted for it and one for another", messages.CodePrePrepare, 0, 3, 4, 5, 6)
	want("PREPARE", messages.CodePrepare, 2, 0, 3, 4, 5, 6)
	see(f.commit(4, 0, block))
	want("PREPARE, one has committed", messages.CodePrepare, 2, 0, 3, 5, 6)
	want("proposal, one has committed", messages.CodePrePrepare, 0, 3, 5, 6)
	want("COMMIT", messages.CodeCommit, 4, 0, 2, 3, 5, 6)
	see(f.roundChange(5, 1, nil))
	want("ROUND-CHANGE", messages.CodeRoundChange, 5, 0, 2, 3, 4, 6)
	see(f.roundChange(6, 2, nil))
	want("ROUND-CHANGE, one is beyond", messages.CodeRoundChange, 5, 0, 2, 3, 4)

	see(
		f.prepare(0, 0, block), f.prepare(4, 0, block), f.prepare(5, 0, block), f.commit(0, 0, block),
		f.commit(2, 0, block), f.commit(5, 0, block),
	)
	p.wantState(Committed, 0)
	out := p.StillNeeded(relays)
	expect.That(t, len(out) == 0, "after the decision %d messages are passed on", len(out))
}

// The last proposer relays late votes to the next one, those that its header does not have.
// spec: wbft 5.8
func TestLateVotesGoToTheNextProposer(t *testing.T) {
	f := newFixture(t, 7)
	block := f.block("a") // by validator 0
	for i, want := range [][]int{0: {1}, 1: nil, 2: nil} {
		p := f.player(i)
		head := f.head
		head.Header = f.sealed(block, 0, 0, 1, 2, 3, 4)
		p.do(NewHead{head})
		p.deliver(f.commit(5, 0, block), f.prepare(4, 0, block))
		relays := only[Relay](p.effects)
		expect.Slice(t, p.receivers(relays, messages.CodeCommit, 5), want, "node %d gives a late COMMIT to", i)
		got := p.receivers(relays, messages.CodePrepare, 4)
		expect.That(t, got == nil, "node %d passes on a PREPARE that the header has, to %v", i, got)
		got = p.receivers(
			[]Relay{{Code: messages.CodePrepare, View: messages.View{Sequence: 1, Round: 1}, Author: f.address(5)}},
			messages.CodePrepare, 5,
		)
		expect.That(t, got == nil, "node %d passes on a vote of another round than the head's, to %v", i, got)
	}
}
