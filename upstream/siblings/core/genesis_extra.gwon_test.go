// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/triedb"
	"github.com/stretchr/testify/assert"
)

// Spec chain 4: the allocation's extra words enter the state, by the computed root and by the written one alike, and
// stay in the allocation that the database keeps.
func TestGenesisExtra(t *testing.T) {
	flagged, plain := common.Address{1}, common.Address{2}
	spec := &Genesis{
		Config: params.TestChainConfig,
		Alloc: types.GenesisAlloc{
			flagged: {Balance: new(big.Int), Extra: types.AccountBlacklisted},
			plain:   {Balance: big.NewInt(1)},
		},
	}
	disk := rawdb.NewMemoryDatabase()
	tdb := triedb.NewDatabase(disk, nil)
	defer func() { _ = tdb.Close() }()
	block := must.Get(spec.Commit(disk, tdb, nil))(t)
	computed := spec.ToBlock()
	assert.Truef(t, computed.Root() == block.Root(), "computed root %v, written root %v", computed.Root(), block.Root())
	s := must.Get(state.New(block.Root(), state.NewDatabase(tdb, nil)))(t)
	assert.Truef(t, s.GetExtra(flagged) == types.AccountBlacklisted && s.GetExtra(plain) == 0,
		"extra words %x and %x", s.GetExtra(flagged), s.GetExtra(plain))
	kept := must.Get(getGenesisState(disk, block.Hash()))(t)
	assert.Truef(t, kept[flagged].Extra == types.AccountBlacklisted && kept[plain].Extra == 0,
		"the database keeps %+v", kept)
	delete(spec.Alloc, flagged)
	assert.True(t, spec.ToBlock().Root() != block.Root(), "the root does not depend on the flagged account")
}
