// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbfttest

import (
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/validators"
)

// BreachNumber is the number of the block that breaks a rule in a Breach.
const BreachNumber = 3

// Breach is a chain of which one block breaks a rule, and which a quorum has sealed all the same. go-stablenet refuses
// the block.
type Breach struct {
	Name string

	// Vouched means that only a signature over another block shows the fault, so that where a quorum's seals prove a run
	// the block passes.
	Vouched bool

	Blocks types.Blocks // from number 1 on; those after the block at fault continue it
}

// Breaches returns chains of four blocks for each rule of randomness and of previous-block seals (spec wbft 7.1 rows 18
// to 21). It takes a network of four validators or more, and changes none of its chains.
func (net *Network) Breaches(t testing.TB) []Breach {
	t.Helper()
	origin, engine := net.Chain(t)
	good := net.Extend(t, origin, BreachNumber+1)
	at := good[BreachNumber-1].Header()
	set, err := engine.ValidatorsFor(origin, at)
	check(t, err)
	other := set.At(0).Address
	if other == at.Coinbase {
		other = set.At(1).Address
	}
	early, err := extra.RandaoReveal(net.Keys[at.Coinbase], net.Genesis.Config.ChainID, BreachNumber-1)
	check(t, err)
	stranger := func(seal *types.WBFTSeal, index int) *types.WBFTSeal {
		indices, err := validators.DecodeSealers(seal.Sealers, set.Len())
		check(t, err)
		return &types.WBFTSeal{Signature: seal.Signature, Sealers: validators.EncodeSealers(append(indices, index))}
	}
	var list []Breach
	add := func(name string, vouched bool, change func(h *types.Header, x *types.WBFTExtra)) {
		list = append(list, Breach{name, vouched, net.breach(t, engine, good, change)})
	}
	reveal := func(name string, change func(reveal []byte) []byte) {
		add(name, false, func(h *types.Header, x *types.WBFTExtra) {
			x.RandaoReveal = change(slices.Clone(x.RandaoReveal))
			h.MixDigest = extra.MixHash(good[BreachNumber-2].MixDigest(), x.RandaoReveal)
		})
	}
	add("mix", false, func(h *types.Header, _ *types.WBFTExtra) { h.MixDigest[0] ^= 1 })
	add("other coinbase", false, func(h *types.Header, _ *types.WBFTExtra) { h.Coinbase = other })
	reveal("reveal empty", func([]byte) []byte { return nil })
	reveal("reveal of 66 bytes", func(reveal []byte) []byte { return append(reveal, 0) })
	reveal("reveal of another number", func([]byte) []byte { return early })
	reveal("reveal with v 27", func(reveal []byte) []byte {
		reveal[len(reveal)-1] += 27
		return reveal
	})
	add("previous seals nil", false, func(_ *types.Header, x *types.WBFTExtra) {
		x.PrevPreparedSeal, x.PrevCommittedSeal = nil, nil
	})
	add("previous PREPARE seals nil", false, func(_ *types.Header, x *types.WBFTExtra) { x.PrevPreparedSeal = nil })
	add("previous round", true, func(_ *types.Header, x *types.WBFTExtra) { x.PrevRound++ })
	add("previous seals swapped", true, func(_ *types.Header, x *types.WBFTExtra) {
		x.PrevPreparedSeal, x.PrevCommittedSeal = x.PrevCommittedSeal, x.PrevPreparedSeal
	})
	add("bitmap with a stranger", false, func(_ *types.Header, x *types.WBFTExtra) {
		x.PrevPreparedSeal = stranger(x.PrevPreparedSeal, set.Len())
	})
	add("long bitmap with a stranger", false, func(_ *types.Header, x *types.WBFTExtra) {
		x.PrevPreparedSeal = stranger(x.PrevPreparedSeal, 8*set.Len())
	})
	return list
}

// breach returns blocks with a change of one of them, and the later ones on top of it, all sealed.
func (net *Network) breach(
	t testing.TB,
	engine *wbft.Engine,
	good types.Blocks,
	change func(h *types.Header, x *types.WBFTExtra),
) types.Blocks {
	t.Helper()
	set, err := engine.EpochSet(net.Genesis.ToBlock().Header()) // all blocks are of the first epoch
	check(t, err)
	out := slices.Clone(good[:BreachNumber-1])
	for _, block := range good[BreachNumber-1:] {
		parent := out[len(out)-1].Header()
		before, err := parent.WBFTExtra()
		check(t, err)
		h := block.Header()
		x, err := h.WBFTExtra()
		check(t, err)
		h.ParentHash, h.MixDigest = parent.Hash(), extra.MixHash(parent.MixDigest, x.RandaoReveal)
		x.PrevRound, x.PrevPreparedSeal, x.PrevCommittedSeal = before.Round, before.PreparedSeal, before.CommittedSeal
		if h.Number.Uint64() == BreachNumber {
			change(h, x)
		}
		h.Extra = x.Encode()
		out = append(out, net.SealBy(t, set, types.NewBlockWithHeader(h).WithBody(*block.Body()), 0))
	}
	if out[BreachNumber-1].Hash() == good[BreachNumber-1].Hash() {
		t.Fatal("the block is as before: nothing would be shown")
	}
	return out
}
