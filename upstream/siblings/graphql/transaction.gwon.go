// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package graphql

import (
	"context"
	"math/big"

	"github.com/ethereum/go-ethereum/log"
)

// paidPrice returns the effective gas price in wei of the receipt of a mined transaction. It returns nil on a chain
// without Anzeon, for a pooled transaction and without receipts (spec transactions 6 no. 16).
func (t *Transaction) paidPrice(ctx context.Context) *big.Int {
	tx, block := t.resolve(ctx)
	if tx == nil || block == nil || !t.r.backend.ChainConfig().IsAnzeon() {
		return nil
	}
	if _, err := block.resolveHeader(ctx); err != nil { // makes the block's hash known
		log.Debug("No header to find receipts by", "err", err)
		return nil
	}
	receipts, err := block.resolveReceipts(ctx)
	if err != nil {
		log.Debug("No receipts to take a gas price from", "err", err)
	}
	if t.index >= uint64(len(receipts)) {
		return nil
	}
	return receipts[t.index].EffectiveGasPrice
}

// FeePayer returns the account that pays the gas of a fee-delegated transaction, nil for other transactions (spec
// transactions 6 no. 20).
func (t *Transaction) FeePayer(ctx context.Context, args BlockNumberArgs) *Account {
	tx, _ := t.resolve(ctx)
	if tx == nil || tx.FeePayer() == nil {
		return nil
	}
	return &Account{r: t.r, address: *tx.FeePayer(), blockNrOrHash: args.NumberOrLatest()}
}
