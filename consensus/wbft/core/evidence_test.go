// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/messages"
)

// TestForgottenCommit: who has sent a COMMIT was prepared, and its ROUND-CHANGEs to later rounds say so (spec wbft 5.1, 5.7). One that
// does not is noticed, whichever comes first, once a sequence, and accuses nobody: the other client forgets (spec wbft 5.10).
func TestForgottenCommit(t *testing.T) {
	f := newFixture(t, 4)
	a, b := f.block("a"), f.block("b")
	commit := f.commit(0, 1, a)
	for name, c := range map[string]struct {
		change    *messages.RoundChange
		forgotten bool
	}{
		"nothing claimed":   {f.roundChange(0, 2, nil), true},
		"a later round":     {f.roundChange(0, 9, nil), true},
		"a lower claim":     {f.roundChange(0, 2, f.certificate(0, b, 0, 1, 2)), true},
		"the COMMIT's":      {f.roundChange(0, 2, f.certificate(1, a, 0, 1, 2)), false},
		"a later one":       {f.roundChange(0, 3, f.certificate(2, a, 0, 1, 2)), false},
		"of the same round": {f.roundChange(0, 1, nil), false},
	} {
		for _, order := range [][]messages.Message{{commit, c.change}, {c.change, commit}} {
			p := f.player(3).toRound(1)
			p.propose(a)
			p.deliver(order...)
			found := only[ForgottenCommit](p.effects)
			if len(found) > 1 || len(found) == 1 != c.forgotten {
				t.Fatalf("%s: %d found", name, len(found))
			}
			if len(only[Misbehaviour](p.effects)) != 0 {
				t.Errorf("%s: accused", name)
			}
			if !c.forgotten {
				continue
			}
			e := found[0]
			if e.Signer != f.address(0) || string(e.Evidence[0]) != string(commit.Encode()) || len(e.Headers) != 1 || e.Headers[0].Hash() != a.Hash() {
				t.Errorf("%s: %+v", name, e)
			}
			m, err := messages.Decode(messages.CodeRoundChange, e.Evidence[1])
			if err != nil || string(m.SigningPayload()) != string(c.change.SigningPayload()) || len(e.Evidence[1]) > 200 {
				t.Errorf("%s: the ROUND-CHANGE is %d bytes, %v", name, len(e.Evidence[1]), err)
			}
			if p.deliver(f.roundChange(0, 10, nil)); len(only[ForgottenCommit](p.effects)) != 0 {
				t.Errorf("%s: noticed twice", name)
			}
		}
	}
	// The next sequence begins anew.
	p := f.player(3).toRound(1)
	p.deliver(commit, f.roundChange(0, 2, nil))
	head := f.head
	head.Header = f.sealed(a, 1, 0, 1, 2)
	p.do(NewHead{head})
	if len(p.forgetful) != 0 {
		t.Error("what was noticed in the last sequence is not forgotten")
	}
}

// TestHeadersOfVotes: a contradiction is reported with the headers of the blocks that are known, since messages name no chain.
func TestHeadersOfVotes(t *testing.T) {
	f := newFixture(t, 4)
	a, b := f.block("a"), f.block("b")
	p := f.player(3)
	p.propose(a)
	p.deliver(f.prepare(1, 0, a), f.prepare(1, 0, b)).wantFault(PrepareEquivocation, 1)
	if headers := only[Misbehaviour](p.effects)[0].Headers; len(headers) != 1 || headers[0].Hash() != a.Hash() {
		t.Errorf("headers %v", headers)
	}
}

// TestProposalOfAnotherChain: a proposal names its parent, so what a proposer has signed on another chain with the same key, which
// anybody can repeat here, does not accuse it.
func TestProposalOfAnotherChain(t *testing.T) {
	f := newFixture(t, 4)
	p := f.player(1)
	elsewhere := *f.head.Header
	elsewhere.GasLimit, elsewhere.Number = 2, new(big.Int)
	foreign := f.child(&elsewhere, "a")
	p.deliver(f.proposal(0, 0, f.block("a"))).deliver(f.proposal(0, 0, foreign))
	p.wantDropped("proposal of another chain")
	if len(only[Misbehaviour](p.effects)) != 0 {
		t.Error("accused of a proposal on another chain")
	}
	p.deliver(f.proposal(0, 0, f.block("b"))).wantFault(ProposalEquivocation, 0)
	if foreign.ParentHash() == (common.Hash{}) || foreign.ParentHash() == f.head.Header.Hash() {
		t.Error("the other chain is this one")
	}
}

// TestContradictionThatComesEarly: two messages that come before their view contradict each other all the same when it comes, one pair of
// a kind and view, and the first of them counts (spec wbft 9.1 no. 6).
func TestContradictionThatComesEarly(t *testing.T) {
	f := newFixture(t, 4)
	a, b := f.block("a"), f.block("b")
	c := f.block("c")
	for name, list := range map[string]struct {
		messages []messages.Message
		signer   int
		want     Fault
	}{
		"PREPAREs": {[]messages.Message{f.prepare(2, 1, a), f.prepare(2, 1, b), f.prepare(2, 1, c)}, 2, PrepareEquivocation},
		"COMMITs":  {[]messages.Message{f.commit(2, 1, a), f.commit(2, 1, b), f.commit(2, 1, c)}, 2, CommitEquivocation},
	} {
		p := f.player(3)
		p.deliver(list.messages...)
		if n := p.backlog.len(); n != 2 {
			t.Errorf("%s: %d messages wait, want 2", name, n)
		}
		p.toRound(1)
		p.do(PeerConnected{}) // any event: the first one in the round
		p.wantFault(list.want, list.signer)
		pair := only[Misbehaviour](p.effects)[0].Evidence
		if string(pair[0]) != string(list.messages[0].Encode()) || string(pair[1]) != string(list.messages[1].Encode()) {
			t.Errorf("%s: not the first two", name)
		}
	}
	// What says the same is no contradiction, and takes no room.
	p := f.player(3)
	p.deliver(f.prepare(2, 1, a), f.prepare(2, 1, a))
	if n := p.backlog.len(); n != 1 {
		t.Errorf("%d messages wait, want 1", n)
	}
	// Proposals of the next sequence, of its proposer.
	next := f.head
	next.Header = f.sealed(a, 0, 0, 1, 2)
	x, y := f.child(next.Header, "x"), f.child(next.Header, "y")
	p = f.player(3)
	p.deliver(f.signed(1, &messages.PrePrepare{Sequence: 2, Block: x}), f.signed(1, &messages.PrePrepare{Sequence: 2, Block: y}))
	p.do(NewHead{next})
	p.wantFault(ProposalEquivocation, 1)
}
