// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"fmt"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"
)

// invalidFeePayers counts the transactions of imported blocks whose fee payer has not signed.
var invalidFeePayers = metrics.NewRegisteredCounter("gwon/feepayer/invalid", nil)

// recoverFeePayer recovers the fee payer ahead of its use, as the sender cacher does with senders. The result or error
// is cached with the transaction for the next use of the signature.
func recoverFeePayer(signer types.Signer, tx *types.Transaction) {
	if tx.Type() == types.FeeDelegateTxType {
		_, _ = types.RecoverFeePayer(signer, tx)
	}
}

// verifyFeePayers returns the error of the first transaction whose fee payer has not signed. It wraps
// types.ErrInvalidFeePayer.
func (bc *BlockChain) verifyFeePayers(block *types.Block) error {
	if !bc.chainConfig.IsAnzeon() {
		return nil
	}
	signer := types.NewAnzeonSigner(bc.chainConfig.ChainID)
	for i, tx := range block.Transactions() {
		if err := types.VerifyFeePayer(signer, tx); err != nil {
			return fmt.Errorf("transaction %d [%v]: %w", i, tx.Hash(), err)
		}
	}
	return nil
}

// reportUnsignedPayers counts the transactions of a block whose fee payers have not signed, and warns about the block
// if there are any. It returns no error because a sealed block is valid with them (spec transactions 2.4, chain 13 no.
// 1).
func (bc *BlockChain) reportUnsignedPayers(block *types.Block) {
	if !bc.chainConfig.IsAnzeon() {
		return
	}
	var (
		signer = types.NewAnzeonSigner(bc.chainConfig.ChainID)
		first  *types.Transaction
		reason error
		count  int64
	)
	for _, tx := range block.Transactions() {
		if err := types.VerifyFeePayer(signer, tx); err != nil {
			if count++; first == nil {
				first, reason = tx, err
			}
		}
	}
	if count == 0 {
		return
	}
	invalidFeePayers.Inc(count)
	log.Warn("Imported a block with fee payers that have not signed", "number", block.Number(), "hash", block.Hash(),
		"tx", first.Hash(), "payer", first.FeePayer(), "count", count, "err", reason)
}
