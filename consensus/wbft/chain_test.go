// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft_test

import (
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/wbfttest"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// The same block sealed in another round has the same hash and is as good; the next header carries the round of the
// copy that its builder has stored (spec wbft 1.4, 6.2).
func TestRoundOfTheStoredCopy(t *testing.T) {
	net := wbfttest.New(t, 4)
	a, _ := net.Chain(t)
	b, _ := net.Chain(t)
	block := net.Build(t, a, 0)
	for round, chain := range map[uint32]interface {
		InsertChain(types.Blocks) (int, error)
	}{0: a, 3: b} {
		must.Get(chain.InsertChain(types.Blocks{net.Seal(t, a, block, round)}))(t)
	}
	must.Equal(t, a.CurrentBlock().Hash(), b.CurrentBlock().Hash(), "the round changes the hash")
	next := net.Extend(t, b, 1)
	x := must.Get(next[0].Header().WBFTExtra())(t)
	expect.Equal(t, x.PrevRound, 3, "previous round")
	expect.Error(t, expect.Err(a.InsertChain(next)), nil, "a node with the other copy refuses the child")
}

// Blocks that break what only execution shows are refused, however well sealed: epoch info that is missing, made up or
// stands in a block of no epoch's end (spec wbft 3.4, 6.4).
func TestWrongEpochInfo(t *testing.T) {
	net := wbfttest.New(t, 4)
	source, _ := net.Chain(t)
	blocks := net.Extend(t, source, wbfttest.EpochLength-1)
	epoch := net.Build(t, source, 0)

	change := func(block *types.Block, f func(*types.WBFTExtra)) *types.Block {
		header := block.Header()
		x := must.Get(header.WBFTExtra())(t)
		f(x)
		header.Extra = x.Encode()
		return types.NewBlockWithHeader(header)
	}
	x := must.Get(epoch.Header().WBFTExtra())(t)
	info := x.EpochInfo
	for name, block := range map[string]*types.Block{
		"missing":          change(epoch, func(x *types.WBFTExtra) { x.EpochInfo = nil }),
		"other diligence":  change(epoch, func(x *types.WBFTExtra) { x.EpochInfo.Candidates[0].Diligence++ }),
		"other order":      change(epoch, func(x *types.WBFTExtra) { slices.Reverse(x.EpochInfo.Validators) }),
		"fewer validators": change(epoch, func(x *types.WBFTExtra) { x.EpochInfo.Validators = x.EpochInfo.Validators[:3] }),
	} {
		expect.Refused(t, expect.Err(source.InsertChain(types.Blocks{net.Seal(t, source, block, 0)})),
			"epoch info %s: accepted", name)
	}
	must.Do(t, expect.Err(source.InsertChain(types.Blocks{net.Seal(t, source, epoch, 0)})), "the right epoch block:")

	early, _ := net.Chain(t)
	must.Get(early.InsertChain(blocks[:1]))(t)
	inner := change(net.Build(t, early, 0), func(x *types.WBFTExtra) { x.EpochInfo = info })
	expect.Refused(t, expect.Err(early.InsertChain(types.Blocks{net.Seal(t, early, inner, 0)})),
		"epoch info in an inner block: accepted")
}

// A second block at a sealed height is never taken in place of the first, once that is final (spec wbft 7.5).
func TestFinalBlockStays(t *testing.T) {
	net := wbfttest.New(t, 4)
	chain, _ := net.Chain(t)
	other := net.Seal(t, chain, net.Build(t, chain, 1), 1)
	net.Extend(t, chain, 1)
	chain.MarkFinal(chain.CurrentBlock())
	head := chain.CurrentBlock().Hash()
	must.That(t, other.Hash() != head, "the two proposers have made the same block")
	expect.Refused(t, expect.Err(chain.InsertChain(types.Blocks{other})), "accepted")
	expect.Equal(t, chain.CurrentBlock().Hash(), head, "the final block was replaced")
}
