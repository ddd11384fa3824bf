// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package faulty

import (
	"slices"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/trie"

	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/sim/modes"
	"gwon/core/rules"
)

// atTheBounds returns the proposal with a block that lies at a bound, or beyond it by what a round change adds to it.
func atTheBounds(m *messages.PrePrepare, way uint64) *messages.PrePrepare {
	if way%2 == 0 { // client text that fits into the extra data of a decided block
		return modes.Proposal(m, withExtra(m.Block, rules.MaxExtra-4096))
	}
	// A block that leaves no room for the certificate of a later round.
	return modes.Proposal(m, withTransaction(m.Block,
		types.NewTx(&types.LegacyTx{Data: make([]byte, messages.MaxSize-len(m.Encode())-128)})))
}

// withExtra returns a valid block with extra data of a given size: the client text is free (spec wbft 1.2).
func withExtra(block *types.Block, size int) *types.Block {
	return modes.Edited(block, func(_ *types.Header, x *types.WBFTExtra) {
		for range 3 { // the length of a length depends on it
			x.Vanity = make([]byte, len(x.Vanity)+size-len(x.Encode()))
		}
	})
}

// withTransaction returns a block with one more transaction, to which its header commits.
func withTransaction(block *types.Block, tx *types.Transaction) *types.Block {
	txs := append(slices.Clone(block.Transactions()), tx)
	header := block.Header()
	header.TxHash = types.DeriveSha(txs, trie.NewStackTrie(nil))
	return types.NewBlockWithHeader(header).WithBody(types.Body{Transactions: txs})
}
