// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"
	"pgregory.net/rapid"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/internal/scheme"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/validators"
	"gwon/internal/must"
)

// ballot names a vote by its kind, extra.Prepare or extra.Commit, and its author.
type ballot struct {
	kind byte
	who  int
}

// offsetting is a sequence in which some validators send offsetting seals. It checks the rules after every step.
type offsetting struct {
	*fixture
	t        *rapid.T
	p        *player
	block    *types.Block
	liars    []int
	seals    map[ballot][]byte
	came     map[ballot]bool
	late     map[byte][]int // authors of seals that were offered for the next header
	decided  *types.Header  // by the node
	header   *types.Header  // that was stored
	executed bool
}

// Three of ten validators send seals that are good only in sum. Votes, a head with any seals and requests for late
// seals come in any order. All seals of this node verify, no honest seal is left out, and no honest validator is a
// suspect.
// spec: wbft 5.7, 5.8, 5.9
func TestOffsettingSealsInAnyOrder(t *testing.T) {
	const n, self = 10, 1
	f := newFixture(t, n) // quorum 7
	block, points := f.block("a"), f.threeThatCancel()
	rapid.Check(t, func(t *rapid.T) {
		b := &offsetting{
			fixture: f,
			t:       t,
			block:   block,
			seals:   make(map[ballot][]byte),
			came:    make(map[ballot]bool),
			late:    make(map[byte][]int),
		}
		others := slices.DeleteFunc(f.indices(n), func(i int) bool { return i == self })
		b.liars = rapid.Permutation(others).Draw(t, "liars")[:3]
		var votes []ballot
		for _, kind := range []byte{extra.Prepare, extra.Commit} {
			for i := range n {
				b.seals[ballot{kind, i}] = f.seal(kind, i, block)
				if i != self {
					votes = append(votes, ballot{kind, i})
				}
			}
			// Points 1, 3 and 5 are the opposites of 0, 2 and 4, and those three cancel as well.
			choices := [][]int{{}, {0}, {0, 1}, {2, 3}, {2, 2}, {0, 2, 4}, {1, 3, 5}, {0, 3, 5}}
			for at, point := range rapid.SampledFrom(choices).Draw(t, "offsets") {
				k := ballot{kind, b.liars[at]}
				b.seals[k] = f.plus(b.seals[k], points[point])
			}
		}
		votes = rapid.Permutation(votes).Draw(t, "votes")
		headAt, executedAt := rapid.IntRange(0, len(votes)).Draw(t, "head"), rapid.IntRange(0, len(votes)).Draw(t, "executed")

		b.p = f.player(self).deliver(f.proposal(0, 0, block))
		for at := range len(votes) + 1 {
			if at == executedAt && b.header == nil {
				b.executed = true
				b.p.validate(block)
				b.check()
			}
			if at == headAt {
				b.store()
			}
			if b.header != nil && rapid.IntRange(0, 2).Draw(t, "ask") == 0 {
				b.ask()
			}
			if at < len(votes) {
				b.vote(votes[at])
			}
			b.progress(votes)
		}
		b.ask()
	})
}

// threeThatCancel returns points of the curve whose sum is zero, each with its opposite: one in the group of
// signatures, one outside, and the negated sum of both.
func (f *fixture) threeThatCancel() (points [][]byte) {
	inside, _ := f.opposites()
	outside := append([]byte{0x80}, make([]byte, bls.SignatureLength-1)...)
	for _, err := bls.ParseSignature(outside); err != nil; _, err = bls.ParseSignature(outside) {
		outside[bls.SignatureLength-1]++
	}
	for _, point := range [][]byte{inside, outside, negated(f.plus(inside, outside))} {
		points = append(points, point, negated(point))
	}
	return points
}

// negated returns the opposite of a compressed point.
func negated(point []byte) []byte {
	opposite := slices.Clone(point)
	opposite[0] ^= 0x20 // the sign bit
	return opposite
}

// plus returns the sum of points of the curve, in the group or not.
func (f *fixture) plus(points ...[]byte) []byte {
	f.t.Helper()
	parts := make([]scheme.Signature, len(points))
	for i, point := range points {
		var err error
		parts[i], err = scheme.ParseSignature(point)
		must.Do(f.t, err)
	}
	return scheme.Sum(parts)
}

// seal returns a validator's good seal over a block in round 0.
func (f *fixture) seal(kind byte, i int, block *types.Block) []byte {
	if kind == extra.Prepare {
		return f.prepare(i, 0, block).Seal
	}
	return f.commit(i, 0, block).Seal
}

func (b *offsetting) isLiar(i int) bool { return slices.Contains(b.liars, i) }

// holds reports whether a signature is the sum of good seals.
func (b *offsetting) holds(kind byte, signature []byte, indices ...int) bool {
	var keys []*bls.PublicKey
	for _, i := range indices {
		keys = append(keys, b.set.At(i).Key)
	}
	message := extra.SealDigest(b.block.Header(), 0, kind)
	return bls.VerifyAggregate(keys, message[:], signature)
}

func (b *offsetting) sealers(seal *types.WBFTSeal) []int {
	if seal == nil {
		return nil
	}
	indices := must.Get(validators.DecodeSealers(seal.Sealers, b.set.Len()))(b.t)
	return indices
}

func (b *offsetting) extraOf(header *types.Header) *types.WBFTExtra {
	x := must.Get(header.WBFTExtra())(b.t)
	return x
}

func (b *offsetting) verify(kind byte, seal *types.WBFTSeal) {
	err := b.set.VerifySeal(seal, extra.SealDigest(b.block.Header(), 0, kind))
	must.That(b.t, err == nil, "seal %#x of %v: %v", kind, b.sealers(seal), err)
}

// vote delivers a validator's vote.
func (b *offsetting) vote(k ballot) {
	var m messages.Message = &messages.Prepare{Sequence: 1, Digest: b.block.Hash(), Seal: b.seals[k]}
	if k.kind == extra.Commit {
		m = &messages.Commit{Sequence: 1, Digest: b.block.Hash(), Seal: b.seals[k]}
	}
	b.came[k] = true
	b.p.deliver(b.signed(k.who, m))
	b.check()
}

// store makes the block the head: as the node has decided it, or with other good seals.
func (b *offsetting) store() {
	if b.header = b.decided; b.header == nil || rapid.Bool().Draw(b.t, "other seals") {
		header := must.Get(b.block.Header().WithWBFTSeals(0, b.anySeal(extra.Prepare), b.anySeal(extra.Commit)))(b.t)
		b.header = header
	}
	head := b.head
	head.Header = b.header
	b.p.do(NewHead{head})
	b.check()
}

// anySeal returns a good aggregate of a quorum, with offsetting seals if it is good with them.
func (b *offsetting) anySeal(kind byte) *types.WBFTSeal {
	sealers := rapid.Permutation(b.indices(b.set.Len())).Draw(b.t, "sealers")[:rapid.IntRange(7, 9).Draw(b.t, "size")]
	if !b.holds(kind, b.sum(kind, sealers), sealers...) {
		sealers = slices.DeleteFunc(b.indices(b.set.Len()), b.isLiar)
	}
	return &types.WBFTSeal{Sealers: validators.EncodeSealers(sealers), Signature: b.sum(kind, sealers)}
}

func (b *offsetting) sum(kind byte, sealers []int) []byte {
	var list [][]byte
	for _, i := range sealers {
		list = append(list, b.seals[ballot{kind, i}])
	}
	return b.plus(list...)
}

// check checks what the node has done and which seals it holds for good.
func (b *offsetting) check() {
	for _, e := range b.p.effects {
		switch e := e.(type) {
		case Failed:
			b.t.Fatal(e.Err)
		case Misbehavior:
			i, ok := b.set.Index(e.Author)
			must.That(b.t, ok && b.isLiar(i), "%s is accused: %v", e.Author, e.Kind)
		case Commit:
			b.decided = e.Block.Header()
			x := b.extraOf(b.decided)
			b.verify(extra.Prepare, x.PreparedSeal)
			b.verify(extra.Commit, x.CommittedSeal)
		}
	}
	for i := range b.set.Len() {
		if b.p.certs.isSuspect(b.address(i)) && !b.isLiar(i) {
			b.t.Fatalf("%d is a suspect", i)
		}
	}
	for prepare, i := range b.p.certs.proven {
		must.That(b.t, b.holds(extra.Prepare, prepare.seal[:], i), "a bad PREPARE of %d is taken for good", i)
	}
	if b.p.lock != nil {
		for _, prepare := range b.p.lock.prepares {
			_, good := b.p.certs.proven[provenKeyOf(prepare)]
			must.That(b.t, good, "the lock has a PREPARE that is not known to be good")
		}
	}
}

// ask requests the late seals. Their sums are good, alone and joined with the header's. They have all honest seals and
// never lose one.
func (b *offsetting) ask() {
	x := b.extraOf(b.header)
	_, _, prepared, committed := b.p.LateSeals()
	b.check()
	for _, of := range []struct {
		kind         byte
		sealed, late *types.WBFTSeal
	}{{extra.Prepare, x.PreparedSeal, prepared}, {extra.Commit, x.CommittedSeal, committed}} {
		late, sealed := b.sealers(of.late), b.sealers(of.sealed)
		if of.late != nil && !b.holds(of.kind, of.late.Signature, late...) {
			b.t.Fatalf("late seals %#x of %v do not hold", of.kind, late)
		}
		joined := must.Get(b.set.Join(of.sealed, of.late))(b.t)
		b.verify(of.kind, joined)
		for i := range b.set.Len() {
			missing := !slices.Contains(late, i)
			if missing && b.came[ballot{of.kind, i}] && !b.isLiar(i) && !slices.Contains(sealed, i) {
				b.t.Fatalf("the seal %#x of %d is left out", of.kind, i)
			}
			if missing && slices.Contains(b.late[of.kind], i) {
				b.t.Fatalf("the seal %#x of %d was good once", of.kind, i)
			}
		}
		b.late[of.kind] = late
	}
}

// progress checks that the node has decided once all honest votes are there.
func (b *offsetting) progress(votes []ballot) {
	open := func(k ballot) bool { return !b.came[k] && !b.isLiar(k.who) }
	if b.header == nil && b.decided == nil && b.executed && !slices.ContainsFunc(votes, open) {
		b.t.Fatal("the honest cannot decide")
	}
}
