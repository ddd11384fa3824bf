// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/messages"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// The author of a COMMIT was prepared, and its ROUND-CHANGEs to later rounds claim so. One that does not is reported
// once a sequence, in either order, and accuses no validator.
// spec: wbft 5.1, 5.7, 5.10
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
		t.Run(name, func(t *testing.T) {
			for _, order := range [][]messages.Message{{commit, c.change}, {c.change, commit}} {
				p := f.player(3).toRound(1)
				p.propose(a)
				p.deliver(order...)
				found := only[ForgottenCommit](p.effects)
				must.That(t, len(found) <= 1 && (len(found) == 1) == c.forgotten, "%s: %d found", name, len(found))
				expect.Equal(t, len(only[Misbehavior](p.effects)), 0, "%s: accused", name)
				if !c.forgotten {
					continue
				}
				e := found[0]
				expect.That(t, e.Author == f.address(0) && string(e.Evidence[0]) == string(commit.Encode()) &&
					len(e.Headers) == 1 && e.Headers[0].Hash() == a.Hash(), "%s: %+v", name, e)
				m, err := messages.Decode(messages.CodeRoundChange, e.Evidence[1])
				expect.That(t, err == nil && string(m.SigningPayload()) == string(c.change.SigningPayload()) &&
					len(e.Evidence[1]) <= 200, "%s: the ROUND-CHANGE is %d bytes, %v", name, len(e.Evidence[1]), err)
				p.deliver(f.roundChange(0, 10, nil))
				expect.That(t, len(only[ForgottenCommit](p.effects)) == 0, "%s: noticed twice", name)
			}
		})
	}
	// The next sequence begins without reports.
	p := f.player(3).toRound(1)
	p.deliver(commit, f.roundChange(0, 2, nil))
	head := f.head
	head.Header = f.sealed(a, 1, 0, 1, 2)
	p.do(NewHead{head})
	expect.Equal(t, len(p.reportedForgotten), 0, "what was noticed in the last sequence is not forgotten")
}

// A proposal names its parent. A proposal that the same key has signed on another chain does not accuse its author.
// spec: wbft 9.1
func TestProposalOfAnotherChain(t *testing.T) {
	f := newFixture(t, 4)
	p := f.player(1)
	elsewhere := *f.head.Header
	elsewhere.GasLimit, elsewhere.Number = 2, new(big.Int)
	foreign := f.child(&elsewhere, "a")
	p.deliver(f.proposal(0, 0, f.block("a"))).deliver(f.proposal(0, 0, foreign))
	p.wantDropped("proposal of another chain")
	expect.Equal(t, len(only[Misbehavior](p.effects)), 0, "accused of a proposal on another chain")
	p.deliver(f.proposal(0, 0, f.block("b"))).wantFault(ProposalEquivocation, 0)
	expect.That(t, foreign.ParentHash() != (common.Hash{}) && foreign.ParentHash() != f.head.Header.Hash(),
		"the other chain is this one")
}

// Two early messages contradict each other once their view comes, one pair of a kind and view. The first one counts.
// spec: wbft 9.1
func TestEarlyContradictionIsEvidence(t *testing.T) {
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
		t.Run(name, func(t *testing.T) {
			p := f.player(3)
			p.deliver(list.messages...)
			expect.Equal(t, p.backlog.len(), 2, "%s messages wait", name)
			p.toRound(1)
			p.do(PeerConnected{}) // any event: the first one in the round
			p.wantFault(list.want, list.signer)
			pair := only[Misbehavior](p.effects)[0].Evidence
			expect.That(t, string(pair[0]) == string(list.messages[0].Encode()) &&
				string(pair[1]) == string(list.messages[1].Encode()), "%s: not the first two", name)
		})
	}
	// An equal message is no contradiction, and takes no room.
	p := f.player(3)
	p.deliver(f.prepare(2, 1, a), f.prepare(2, 1, a))
	expect.Equal(t, p.backlog.len(), 1, "messages wait")
	// Proposals of the next sequence, of its proposer.
	next := f.head
	next.Header = f.sealed(a, 0, 0, 1, 2)
	x, y := f.child(next.Header, "x"), f.child(next.Header, "y")
	p = f.player(3)
	p.deliver(
		f.signed(1, &messages.PrePrepare{Sequence: 2, Block: x}), f.signed(1, &messages.PrePrepare{Sequence: 2, Block: y}),
	)
	p.do(NewHead{next})
	p.wantFault(ProposalEquivocation, 1)
}
