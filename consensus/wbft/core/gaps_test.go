// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"gwon/consensus/wbft/messages"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// endOfRotation has validator 1 of seven follow a block of validator 0 without a vote of 6, and lets a period pass.
func (f *fixture) endOfRotation(answers map[common.Address]bool) *player {
	block := f.block("a")
	p := f.player(1).toState(Committed, block)
	p.gaps.answers = answers
	p.deliver(f.prepare(5, 0, block), f.commit(4, 0, block))
	head := f.head
	head.Header = f.sealed(block, 0, 0, 1, 2, 3, 4)
	p.do(NewHead{head})
	p.clock = p.clock.Add(time.Second)
	next := f.head
	next.Header = f.sealed(f.child(head.Header, "b"), 0, 0, 1, 2, 3, 4)
	p.do(NewHead{next})
	return p
}

// A validator that votes for this node's proposals and not for another proposer's does not hear that proposer.
// Messages of the proposer are relayed to it at once.
// spec: wbft 4.4
func TestMissingVotesShowGap(t *testing.T) {
	f := newFixture(t, 7)
	for _, test := range []struct {
		name    string
		answers []int
		want    []gap
	}{
		{"it answers this node", []int{0, 2, 3, 4, 5, 6}, []gap{{f.address(0), f.address(6)}}},
		{"it answers no proposer", []int{0, 2, 3, 4, 5}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			answers := make(map[common.Address]bool)
			for _, a := range f.addresses(test.answers...) {
				answers[a] = true
			}
			p := f.endOfRotation(answers)
			var got []gap
			for g := range p.gaps.bridges {
				got = append(got, g)
			}
			must.That(t, slices.Equal(got, test.want), "gaps %v, want %v", got, test.want)
			p.Core.effects = nil
			p.relay(
				Relay{
					Code:    messages.CodeCommit,
					Payload: []byte{1},
					View:    messages.View{Sequence: p.sequence},
					Author:  f.address(0),
				},
			)
			relays := only[Relay](p.Core.effects)
			if at := relays[0]; len(relays) != 1+len(test.want) || len(test.want) > 0 && !slices.Equal(at.To, f.addresses(6)) {
				t.Errorf("passed on %d times, first to %v", len(relays), at.To)
			}
			p.Core.effects = nil
			p.relay(
				Relay{
					Code:    messages.CodeCommit,
					Payload: []byte{1},
					View:    messages.View{Sequence: p.sequence},
					Author:  f.address(2),
				},
			)
			expect.Equal(t, len(only[Relay](p.Core.effects)), 1, "what another one says is passed on at once too")
		})
	}
}

// A proposer that leaves out seals which were here half a period before its proposal does not hear their authors.
// Later seals and bad seals show nothing.
// spec: wbft 5.8
func TestOmittedSealsShowGap(t *testing.T) {
	for _, test := range []struct {
		name    string
		before  time.Duration // from the vote to the proposal
		suspect bool
		want    bool
	}{
		{"in time", 600 * time.Millisecond, false, true},
		{"late", 400 * time.Millisecond, false, false},
		{"of a suspect", 600 * time.Millisecond, true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t, 7)
			f.head.Params.BlockPeriod = time.Second
			block := f.block("a")
			p := f.player(1).toState(Committed, block)
			head := f.head
			head.Header = f.sealed(block, 0, 0, 1, 2, 3, 4)
			p.do(NewHead{head})
			p.deliver(f.commit(5, 0, block))
			if test.suspect {
				p.certs.suspect(f.address(5))
			}
			p.clock = p.clock.Add(test.before)
			child := f.child(head.Header, "b")
			rs := p.rounds[0]
			rs.block, rs.digest, rs.author, rs.bound = child, child.Hash(), f.address(2), p.clock
			next := f.head
			next.Header = f.sealed(child, 0, 0, 1, 2, 3, 4)
			p.do(NewHead{next})
			_, noted := p.gaps.bridges[gap{f.address(5), f.address(0)}]
			expect.Equal(t, noted, test.want, "noted")
		})
	}
}

// A gap is bridged for some time, and for twice as long if it is still there. An old gap is forgotten.
// spec: wbft 4.4
func TestLastingGapIsBridgedLonger(t *testing.T) {
	f := newFixture(t, 4)
	p := f.player(1)
	g := gap{f.address(0), f.address(3)}
	for _, want := range []uint64{16, 32, 64, 128, 256, 256} {
		p.noteGap(g)
		expect.Equal(t, p.gaps.bridges[g].until-p.sequence, want, "sequences bridged")
		p.noteGap(g)
		expect.Equal(t, p.gaps.bridges[g].span, want, "the span doubles while it runs")
		p.sequence = p.gaps.bridges[g].until + 1
	}
	for i := range maxGaps {
		p.gaps.bridges[gap{common.Address{1, byte(i), byte(i >> 8)}, g.receiver}] = bridge{}
	}
	p.noteGap(gap{f.address(2), g.receiver})
	_, noted := p.gaps.bridges[gap{f.address(2), g.receiver}]
	expect.That(t, !noted, "more gaps than are remembered")
}
