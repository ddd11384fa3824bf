// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package faulty

import (
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/trie"

	"gwon/consensus/wbft/messages"
)

// maxExtra is the largest extra data of a header in bytes (spec wbft 1.2).
const maxExtra = 100 << 10

// atTheBounds returns the proposal with a block that lies at a bound, or beyond it by what the protocol adds to a block afterwards.
func atTheBounds(m *messages.PrePrepare, way uint64) *messages.PrePrepare {
	switch way % 4 {
	case 0: // extra data that fits only until the block is sealed
		return withBlock(m, withExtra(m.Block, maxExtra))
	case 1: // extra data that fits with the seals
		return withBlock(m, withExtra(m.Block, maxExtra-4096))
	case 2: // as many transactions as a message holds, whatever their gas
		return withBlock(m, withTransactions(m.Block, (messages.MaxSize-64<<10)/10, &types.LegacyTx{}))
	default: // a block that leaves no room for the certificate of a later round
		return withBlock(m, withTransactions(m.Block, 1, &types.LegacyTx{Data: make([]byte, messages.MaxSize-len(m.Encode())-128)}))
	}
}

// withExtra returns a valid block with extra data of so many bytes: the client text is free (spec wbft 1.2).
func withExtra(block *types.Block, size int) *types.Block {
	header := block.Header()
	x, err := header.WBFTExtra()
	if err != nil {
		return block
	}
	for range 3 { // the length of a length depends on it
		x.Vanity = make([]byte, len(x.Vanity)+size-len(x.Encode()))
	}
	header.Extra = x.Encode()
	return block.WithSeal(header)
}

// withTransactions returns a block with so many more transactions, to which its header commits.
func withTransactions(block *types.Block, n int, data types.TxData) *types.Block {
	tx := types.NewTx(data)
	txs := append(slices.Clone(block.Transactions()), slices.Repeat(types.Transactions{tx}, n)...)
	header := block.Header()
	header.GasLimit = 1 << 62
	if header.TxHash = (common.Hash{1}); n == 1 {
		header.TxHash = types.DeriveSha(txs, trie.NewStackTrie(nil))
	}
	return types.NewBlockWithHeader(header).WithBody(types.Body{Transactions: txs})
}
