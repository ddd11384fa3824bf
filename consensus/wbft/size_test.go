// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft_test

import (
	"errors"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/wbfttest"
	"gwon/core/rules"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// The bound on blocks is that of the sealed form, to the byte. Without the bound, a block that validators with it seal
// and refuse waits, and one that they never seal is good.
// spec: wbft 7.3
func TestBlockSize(t *testing.T) {
	net := wbfttest.New(t, 4)
	net.Endow()
	source, _ := net.Chain(t)
	first := net.Extend(t, source, 1) // the second block carries seals over this one, as all later ones do
	unsealed := rules.MaxBlock + 200  // sealing adds 200 bytes (up to 7 validators)
	for _, c := range []struct {
		bytes           int
		without, within error // where the chain has no bound, and where it has
	}{
		{rules.MaxBlock, nil, nil},
		{rules.MaxBlock + 1, wbft.ErrHeld, wbft.ErrOversized},
		{unsealed, wbft.ErrHeld, wbft.ErrOversized},
		{unsealed + 1, nil, wbft.ErrOversized},
	} {
		block := net.Sized(t, source, 0, c.bytes)
		for _, bound := range []bool{false, true} {
			config := *net.Genesis.Config
			anzeon := *config.Anzeon
			config.Anzeon, anzeon.MaxBlockSizeBlock = &anzeon, nil
			want := c.without
			if bound {
				anzeon.MaxBlockSizeBlock, want = new(uint64(1)), c.within
			}
			bounded := *net
			genesis := *net.Genesis
			genesis.Config, bounded.Genesis = &config, &genesis
			chain, engine := bounded.Chain(t)
			must.Get(chain.InsertChain(first))(t)
			if _, err := chain.InsertChain(types.Blocks{block}); !errors.Is(err, want) || (err == nil) != (want == nil) {
				t.Errorf("%d bytes, bound %t: %v, want %v", c.bytes, bound, err, want)
			}
			expect.Equal(t, engine.Holds(block.Hash()), errors.Is(want, wbft.ErrHeld),
				"%d bytes, bound %t: held", c.bytes, bound)
			if !errors.Is(want, wbft.ErrHeld) {
				continue
			}
			engine.Follow(types.Blocks{block})
			_, err := chain.InsertChain(types.Blocks{block})
			expect.That(t, err == nil && !engine.Holds(block.Hash()), "%d bytes: followed, but: %v", c.bytes, err)
		}
	}
}

// Zeros that a peer adds behind the bitmaps of a block's seals are not its size.
func TestPaddedBlockSize(t *testing.T) {
	net := wbfttest.New(t, 4)
	net.Endow()
	chain, _ := net.Chain(t)
	block := net.Sized(t, chain, 0, 1<<20)
	x := must.Get(block.Header().WBFTExtra())(t)
	long := &types.WBFTSeal{Signature: x.CommittedSeal.Signature, Sealers: make([]byte, rules.MaxBlock)}
	copy(long.Sealers, x.CommittedSeal.Sealers)
	header := must.Get(block.Header().WithWBFTSeals(0, x.PreparedSeal, long))(t)
	if padded := block.WithSeal(header); padded.Hash() != block.Hash() || rules.SizeOf(padded) != rules.Fits {
		t.Errorf("size %d of a padded copy", rules.SizeOf(padded))
	}
}
