// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft_test

import (
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/internal/scheme"
)

// decideAt has the driver decide a block of that time with a quorum of seals, and hands the COMMIT of the last other validator over after
// that; a bad one has a seal over another block. It returns the head as it would be with the seals of all in it.
func (b *bench) decideAt(at time.Time, bad bool) *types.Header {
	b.t.Helper()
	block := b.variant(b.block(0), func(h *types.Header, _ *types.WBFTExtra) { h.Time = uint64(at.Unix()) })
	set, last := b.set(), b.others()[2]
	b.deliver(b.prePrepare(block, 0))
	b.prepares(block, 0)
	b.deliver(b.commitsOf(block, 0)[:2]...)
	b.head(1)
	late := b.commit(last, block, 0)
	if bad {
		late.Seal = b.seal(last, b.rival(block), 0, extra.Commit)
		b.sign(last, late)
	}
	b.deliver(late)

	all := func(kind byte, given map[common.Address][]byte) *types.WBFTSeal {
		seals := make(map[int]scheme.Signature)
		for i, a := range set.Addresses() {
			encoded := given[a]
			if encoded == nil {
				encoded = b.seal(a, block, 0, kind)
			}
			point, err := bls.ParseSignature(encoded)
			must(b.t, err)
			seals[i] = point
		}
		sum, err := set.Aggregate(seals)
		must(b.t, err)
		return sum
	}
	head := b.chain.CurrentBlock()
	if !b.engine.Remembers(head, set) {
		b.t.Fatal("the seals in the stored header are not known")
	}
	full, err := head.WithWBFTSeals(0, all(extra.Prepare, nil), all(extra.Commit, map[common.Address][]byte{last: late.Seal}))
	must(b.t, err)
	return full
}

// The sum of a head's seals and of those that came after the decision is known to be good before a proposal carries it (spec wbft 5.8),
// from half of the period on, and not when one of them is bad.
func TestLateSealsAreKnownBeforehand(t *testing.T) {
	for _, bad := range []bool{false, true} {
		onBench(t, 4, func(b *bench) {
			b.start()
			begun, set := time.Now(), b.set()
			full := b.decideAt(begun, bad)
			time.Sleep(time.Until(begun.Add(500*time.Millisecond - 1)))
			b.wait()
			if b.engine.Remembers(full, set) {
				b.t.Error("verified before half of the period")
			}
			time.Sleep(1)
			b.wait()
			if b.engine.Remembers(full, set) == bad {
				b.t.Errorf("a bad seal among them: %v; known to be good: %v", bad, !bad)
			}
			b.unhalted()
		})
	}
}

// Late seals of a block that is as old as a period, as a chain that catches up has them, are left to who proposes.
func TestLateSealsOfAnOldBlock(t *testing.T) {
	onBench(t, 4, func(b *bench) {
		b.start()
		set, full := b.set(), b.decideAt(time.Now().Add(-time.Second), false)
		time.Sleep(time.Second)
		b.wait()
		if b.engine.Remembers(full, set) {
			b.t.Error("verified nevertheless")
		}
	})
}
