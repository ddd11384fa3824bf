// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbfttest_test

import (
	"bytes"
	"testing"

	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft"
	"gwon/consensus/wbft/validators"
	"gwon/consensus/wbft/wbfttest"
	"gwon/internal/expect"
	"gwon/internal/must"
)

const made = 45 // blocks

var options = wbfttest.LiveOptions{
	Validators: 4, EpochLength: 10, Boho: 15, Seed: 7,
	LightEvery: 5, LightTxs: 3, FullEvery: 21, FullTxs: 40, ChangeEvery: 1, Last: made,
}

// begin returns a maker for a chain in a new database in memory, and that database's other user: the next maker.
func begin(t *testing.T, o wbfttest.LiveOptions) (*wbfttest.Maker, func() *wbfttest.Maker) {
	t.Helper()
	db := rawdb.NewMemoryDatabase()
	open := func() *wbfttest.Maker {
		recipe := must.Get(o.Recipe())(t)
		m := must.Get(wbfttest.NewMaker(db, recipe))(t)
		t.Cleanup(func() { _ = m.Close() })
		return m
	}
	return open(), open
}

func extend(t *testing.T, m *wbfttest.Maker, last uint64) {
	t.Helper()
	must.Do(t, m.Make(t.Context(), last))
}

// A made chain verifies block by block, its children hold more seals than their parents, and its validators change.
// spec: wbft 3.1, 5.8, 7.1
func TestMadeChainIsLikeALiveOne(t *testing.T) {
	m, _ := begin(t, options)
	extend(t, m, made)
	engine := must.Get(wbft.New(m.Config(), nil))(t)
	chain := must.Get(gethcore.NewBlockChain(rawdb.NewMemoryDatabase(), m.Genesis, engine, nil))(t)
	defer chain.Stop()
	changes, late, txs := 0, 0, 0
	var before *validators.Set
	for n := uint64(1); n <= made; n++ {
		block := m.Block(n)
		must.Do(t, expect.Err(chain.InsertChain(types.Blocks{block})), "block", n)
		txs += len(block.Transactions())
		set := must.Get(engine.ValidatorsFor(chain, block.Header()))(t)
		if before != nil && !set.SameMembers(before) {
			changes++
		}
		before = set
		if n == made {
			break
		}
		own := must.Get(block.Header().WBFTExtra())(t)
		child := must.Get(m.Block(n + 1).Header().WBFTExtra())(t)
		for _, seal := range [][2]*types.WBFTSeal{
			{own.PreparedSeal, child.PrevPreparedSeal}, {own.CommittedSeal, child.PrevCommittedSeal},
		} {
			few := must.Get(validators.DecodeSealers(seal[0].Sealers, set.Len()))(t)
			all := must.Get(validators.DecodeSealers(seal[1].Sealers, set.Len()))(t)
			expect.That(t, len(few) == set.Quorum() && len(all) >= len(few),
				"block %d has seals of %v, and its child of %v", n, few, all)
			if len(all) > len(few) {
				late++
			}
		}
	}
	expect.That(t, late >= 2*made*9/10 && changes == 3 && txs >= 40,
		"late seals %d times, other validators %d times, %d transactions", late, changes, txs)
}

// A chain that is made in parts is the one made at once.
func TestMakerContinues(t *testing.T) {
	whole, _ := begin(t, options)
	extend(t, whole, made)
	part, again := begin(t, options)
	for _, last := range []uint64{7, 10, made} {
		extend(t, part, last)
		must.Do(t, part.Close())
		part = again()
	}
	for n := uint64(1); n <= made; n++ {
		a, b := whole.Block(n), part.Block(n)
		must.That(t, a.Hash() == b.Hash() && bytes.Equal(a.Extra(), b.Extra()), "block %d differs", n)
	}
}
