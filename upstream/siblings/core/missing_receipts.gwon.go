// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"
)

// ErrReceiptsMissing is wrapped by the error for a receipt of a block that was taken without its receipts (see package gwon/eth/sync).
var ErrReceiptsMissing = errors.New("receipts are not stored here")

// explainReceipt returns the error for a receipt that could not be read: that the receipts of its block are missing, or else err.
func (bc *BlockChain) explainReceipt(hash common.Hash, err error) error {
	header := bc.GetHeaderByHash(hash)
	if header == nil || !bc.chainConfig.IsAnzeon() || header.TxHash == types.EmptyTxsHash {
		return err
	}
	number := header.Number.Uint64()
	if stored := rawdb.ReadReceiptsRLP(bc.db, hash, number); string(stored) != string(rlp.EmptyList) {
		return err
	}
	return fmt.Errorf("%w: those of block %d are larger than a message, and no peer could give them when this node synchronized; "+
		"ask a node that has executed the block", ErrReceiptsMissing, number)
}
