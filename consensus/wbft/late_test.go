// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft_test

import (
	"math/big"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/internal/scheme"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/validators"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// merged returns the head as it would be with these seals of one kind, by index, beside those in it.
func (b *bench) merged(set *validators.Set, head *types.Header, prepares, commits map[int][]byte) *types.Header {
	b.t.Helper()
	x := must.Get(head.WBFTExtra())(b.t)
	join := func(seal *types.WBFTSeal, more map[int][]byte) *types.WBFTSeal {
		present := must.Get(validators.DecodeSealers(seal.Sealers, set.Len()))(b.t)
		points := make(map[int]scheme.Signature)
		for i, encoded := range more {
			if !slices.Contains(present, i) {
				point := must.Get(bls.ParseSignature(encoded))(b.t)
				points[i] = point
			}
		}
		if len(points) == 0 {
			return seal
		}
		late := must.Get(set.Aggregate(points))(b.t)
		sum := must.Get(set.Join(seal, late))(b.t)
		return sum
	}
	out := must.Get(head.WithWBFTSeals(x.Round, join(x.PreparedSeal, prepares), join(x.CommittedSeal, commits)))(b.t)
	return out
}

// decideAt has the driver decide a block of that time with a quorum of seals, and hands over those of all others after
// that; a bad one among them has a seal over another block. It returns the head as it would be with the seals of all in
// it.
func (b *bench) decideAt(at time.Time, bad bool) *types.Header {
	b.t.Helper()
	number := b.chain.CurrentBlock().Number.Uint64()
	block := b.variant(b.block(0), func(h *types.Header, _ *types.WBFTExtra) { h.Time = uint64(at.Unix()) })
	set, last := b.set(), b.others()[len(b.others())-1]
	b.deliver(b.prePrepare(block, 0))
	b.prepares(block, 0)
	commits := b.commitsOf(block, 0)
	b.deliver(commits[:set.Quorum()-1]...)
	b.head(number + 1)
	late := b.commit(last, block, 0)
	if bad {
		late.Seal = b.seal(last, b.rival(block), 0, extra.Commit)
		b.sign(last, late)
	}
	b.deliver(append(commits[set.Quorum()-1:len(commits)-1:len(commits)-1], late)...)

	head := b.chain.CurrentBlock()
	must.That(b.t, b.engine.Remembers(head, set), "the seals in the stored header are not known")
	prepares, committed := make(map[int][]byte), make(map[int][]byte)
	for i, a := range set.Addresses() {
		prepares[i], committed[i] = b.seal(a, block, 0, extra.Prepare), b.seal(a, block, 0, extra.Commit)
		if a == last {
			committed[i] = late.Seal
		}
	}
	return b.merged(set, head, prepares, committed)
}

// The sum of a head's seals and of those that came after the decision is known to be good before a proposal carries it
// (spec wbft 5.8), from half of the period on, and not when one of them is bad. Block 4 is an epoch block, which other
// validators follow than have sealed it.
func TestLateSealsAreKnownBeforehand(t *testing.T) {
	for _, c := range []struct {
		validators int
		parents    int
		bad        bool
	}{{4, 0, false}, {4, 0, true}, {7, 3, false}} {
		onBench(t, c.validators, func(b *bench) {
			b.net.Extend(b.t, b.chain.BlockChain, c.parents)
			time.Sleep(time.Until(time.Unix(int64(b.chain.CurrentBlock().Time), 0).Add(time.Second)))
			b.start()
			begun, set := time.Now(), b.set()
			full := b.decideAt(begun, c.bad)
			if c.parents > 0 && slices.Equal(b.set().Addresses(), set.Addresses()) {
				b.t.Fatal("the same validators follow")
			}
			time.Sleep(time.Until(begun.Add(500*time.Millisecond - time.Nanosecond)))
			b.wait()
			expect.That(b.t, !b.engine.Remembers(full, set), "verified before half of the period")
			time.Sleep(time.Nanosecond)
			b.wait()
			expect.That(b.t, b.engine.Remembers(full, set) != c.bad, "%+v: known to be good: %v", c, !c.bad)
			b.unhalted()
		})
	}
}

// lateSum returns the sum of seals over the head of a round that are of those validators whose index is chosen.
func (b *bench) lateSum(kind byte, round uint64, chosen func(i int) bool) *types.WBFTSeal {
	b.t.Helper()
	set, points := b.set(), make(map[int]scheme.Signature)
	for i, a := range set.Addresses() {
		if chosen(i) {
			point, err := bls.ParseSignature(b.seal(a, b.chain.GetBlockByHash(b.chain.CurrentBlock().Hash()), round, kind))
			must.Do(b.t, err)
			points[i] = point
		}
	}
	seal := must.Get(set.Aggregate(points))(b.t)
	return seal
}

// extraOf returns what a header says in its extra data.
func (b *bench) extraOf(header *types.Header) *types.WBFTExtra {
	b.t.Helper()
	x := must.Get(header.WBFTExtra())(b.t)
	return x
}

// carried returns what the header after the head carries when these seals came late.
func (b *bench) carried(late *wbft.LateSeals) *types.WBFTExtra {
	b.t.Helper()
	head := b.chain.CurrentBlock()
	late.Parent = head.Hash()
	b.engine.SetLateSeals(late)
	next := &types.Header{ParentHash: head.Hash(), Number: new(big.Int).Add(head.Number, big.NewInt(1))}
	must.Do(b.t, b.engine.Prepare(b.chain, next))
	return b.extraOf(next)
}

// without returns what reports whether an index is not one of a seal's.
func (b *bench) without(seal *types.WBFTSeal) func(i int) bool {
	b.t.Helper()
	present := must.Get(validators.DecodeSealers(seal.Sealers, b.set().Len()))(b.t)
	return func(i int) bool { return !slices.Contains(present, i) }
}

// What is known to hold in sum is added to the seals of a stored header whole or not at all: not when that has one of
// them already.
func TestLateSealsAreAddedWhole(t *testing.T) {
	onBench(t, 7, func(b *bench) {
		b.net.Extend(t, b.chain.BlockChain, 2)
		head, set := b.chain.CurrentBlock(), b.set()
		x := b.extraOf(head)
		missing := b.without(x.PreparedSeal)
		one := 0 // the first of those whose seal the header has
		for missing(one) {
			one++
		}
		commits := b.lateSum(extra.Commit, 0, b.without(x.CommittedSeal))
		carried := b.carried(&wbft.LateSeals{
			Prepared: b.lateSum(extra.Prepare, 0, func(i int) bool { return i == one || missing(i) }), Committed: commits,
		})
		expect.Deep(t, carried.PrevPreparedSeal, x.PreparedSeal, "seals are added of which the header has one")
		all := must.Get(set.Join(x.CommittedSeal, commits))(t)
		expect.Deep(t, carried.PrevCommittedSeal, all, "seals that the header has not are not added")
		must.Do(t, set.VerifySeal(carried.PrevPreparedSeal, extra.SealDigest(head, 0, extra.Prepare)))
		must.Do(t, set.VerifySeal(carried.PrevCommittedSeal, extra.SealDigest(head, 0, extra.Commit)))
	})
}

// Late seals of one kind alone are known beforehand as well (spec wbft 5.8).
func TestLateCommitsAlone(t *testing.T) {
	onBench(t, 4, func(b *bench) {
		time.Sleep(time.Until(time.Unix(int64(b.chain.CurrentBlock().Time), 0).Add(time.Second)))
		b.start()
		begun, set := time.Now(), b.set()
		block := b.variant(b.block(0), func(h *types.Header, _ *types.WBFTExtra) { h.Time = uint64(begun.Unix()) })
		b.deliver(b.prePrepare(block, 0))
		for _, a := range b.others()[:set.Quorum()-1] {
			b.deliver(b.prepare(a, block, 0))
		}
		b.deliver(b.commitsOf(block, 0)...)
		head := b.chain.CurrentBlock()
		commits := make(map[int][]byte)
		for i, a := range set.Addresses() {
			commits[i] = b.seal(a, block, 0, extra.Commit)
		}
		time.Sleep(time.Until(begun.Add(500 * time.Millisecond)))
		b.wait()
		if full := b.merged(set, head, nil, commits); full.Hash() != head.Hash() || !b.engine.Remembers(full, set) {
			t.Error("the sum of all COMMIT seals is not known")
		}
	})
}

// Seals of another round than that of the stored header are not added to it (spec wbft 5.8).
func TestLateSealsOfARoundThatIsNotStored(t *testing.T) {
	onBench(t, 7, func(b *bench) {
		b.net.Extend(t, b.chain.BlockChain, 2)
		x := b.extraOf(b.chain.CurrentBlock())
		carried := b.carried(&wbft.LateSeals{
			Round:     1,
			Prepared:  b.lateSum(extra.Prepare, 1, b.without(x.PreparedSeal)),
			Committed: b.lateSum(extra.Commit, 1, b.without(x.CommittedSeal)),
		})
		expect.That(t, carried.PrevRound == 0 && reflect.DeepEqual(carried.PrevPreparedSeal, x.PreparedSeal) &&
			reflect.DeepEqual(carried.PrevCommittedSeal, x.CommittedSeal), "seals of round 1 are added to those of round 0")
	})
}

// There is no quiet part left of the period when a block is decided late or is older than that, as blocks are while a
// chain catches up.
func TestLateSealsOfALateBlock(t *testing.T) {
	for _, age := range []time.Duration{800 * time.Millisecond, time.Second} {
		onBench(t, 4, func(b *bench) {
			b.start()
			begun := time.Now()
			time.Sleep(age)
			set, full := b.set(), b.decideAt(begun, false)
			time.Sleep(time.Second)
			b.wait()
			expect.That(b.t, !b.engine.Remembers(full, set), "verified %v after the block's time", age)
		})
	}
}

// A chain that was set back can come again with its validators in another order. A late seal is judged and summed by
// the set that has sealed the head, or not at all.
func TestLateSealsAfterARewind(t *testing.T) {
	insert := func(b *bench, block *types.Block, round uint32) {
		b.t.Helper()
		must.Do(b.t, expect.Err(b.chain.InsertChain(types.Blocks{b.net.Seal(b.t, b.chain.BlockChain, block, round)})))
		b.wait()
	}
	for _, paused := range []bool{true, false} {
		tried := false
		for round := uint64(1); round < 6 && !tried; round++ {
			onBench(t, 7, func(b *bench) {
				target := uint64(7) // the height after which the driver still has a head of the old branch
				if paused {
					target = 5
				}
				b.net.Extend(t, b.chain.BlockChain, int(target)-1)
				b.start()
				if paused {
					b.driver.Pause(true)
				} else {
					b.net.Extend(t, b.chain.BlockChain, 1)
				}
				before := b.set()
				b.wait()
				must.Do(t, b.chain.SetHead(0))
				insert(b, b.block(round), uint32(round))
				for n := uint64(2); n < target; n++ {
					insert(b, b.block(0), 0)
				}
				set := b.set()
				begun := time.Now()
				block := b.variant(b.block(0), func(h *types.Header, _ *types.WBFTExtra) { h.Time = uint64(begun.Unix()) })
				insert(b, block, 0)
				if paused {
					b.driver.Pause(false)
					b.wait()
				}
				b.unhalted()
				for i := set.Quorum(); i < set.Len() && !tried; i++ { // the header has the others' seals
					author := before.At(i).Address
					if author == set.At(i).Address || author == b.self {
						continue
					}
					tried = true
					m := &messages.Commit{Sequence: target, Digest: block.Hash(), Seal: b.seal(author, block, 0, extra.Commit)}
					b.sign(author, m)
					b.deliver(m)
					time.Sleep(time.Until(begun.Add(600 * time.Millisecond)))
					b.wait()
					expect.That(b.t, !b.engine.Remembers(b.merged(set, b.chain.CurrentBlock(), nil, map[int][]byte{i: m.Seal}), set),
						"paused %v: a seal counts as that of %v, but %v has made it", paused, set.At(i).Address, author)
				}
			})
		}
		expect.That(t, tried, "paused %v: no branch orders the validators otherwise", paused)
	}
}

// Late seals over a head are not those over another one at its height.
func TestLateSealsOfASibling(t *testing.T) {
	onBench(t, 4, func(b *bench) {
		b.net.Extend(t, b.chain.BlockChain, 1)
		b.start()
		second := b.net.Seal(t, b.chain.BlockChain, b.block(0), 0)
		time.Sleep(time.Second)
		must.Get(b.chain.InsertChain(types.Blocks{second}))(t)
		b.wait()
		author := b.set().At(3).Address
		late := &messages.Commit{Sequence: 2, Digest: second.Hash(), Seal: b.seal(author, second, 0, extra.Commit)}
		b.sign(author, late)
		b.deliver(late)
		must.Do(t, b.chain.SetHead(0))
		other := b.variant(b.rival(b.block(0)),
			func(h *types.Header, _ *types.WBFTExtra) { h.Time = uint64(time.Now().Unix()) })
		must.Get(b.chain.InsertChain(types.Blocks{b.net.Seal(t, b.chain.BlockChain, other, 0)}))(t)
		time.Sleep(time.Second)
		b.wait()
		head := b.chain.CurrentBlock()
		set := must.Get(b.engine.ValidatorsFor(b.chain, head))(t)
		expect.That(t, !b.engine.Remembers(b.merged(set, head, nil, map[int][]byte{3: late.Seal}), set),
			"a seal over another block is in the sum")
	})
}
