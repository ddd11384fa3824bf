// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"testing"

	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// With the hash scheme a crash loses the states since the last one that was written. One is written after a number of
// blocks, so that it is never of a block that the freezer has taken long ago. spec: wbft 7.5
func TestHashStatesAreWritten(t *testing.T) {
	const distance = 3
	db := rawdb.NewMemoryDatabase()
	chain, err := NewBlockChain(db, proposalGenesis(), newStageEngine(), DefaultConfig().WithStateScheme(rawdb.HashScheme))
	must.Do(t, err)
	defer chain.Stop()
	onDisk := func() bool { return rawdb.HasLegacyTrieNode(db, chain.CurrentBlock().Root) }
	for _, block := range proposals(t, 3*distance, 1) {
		number := block.NumberU64()
		must.Get(chain.InsertChain(types.Blocks{block}))(t)
		require.Falsef(t, onDisk(), "the state of block %d is on disk before it is written", number)
		must.Do(t, chain.commitHashState(distance))
		assert.Equalf(t, number%distance == 0, onDisk(), "the state of block %d is on disk", number)
	}
}
