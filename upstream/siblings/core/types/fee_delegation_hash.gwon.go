// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package types

import "github.com/ethereum/go-ethereum/common"

// SenderTransactionHash returns the hash of the type-2 transaction that the sender of a type 0x16 transaction signed.
// It is the hash that the sender knows before a fee payer is found. It returns nil for every other type.
func (tx *Transaction) SenderTransactionHash() *common.Hash {
	inner, ok := tx.inner.(*FeeDelegateTx)
	if !ok {
		return nil
	}
	cached := inner.senderHash.Load()
	if cached == nil {
		hash := prefixedRlpHash(DynamicFeeTxType, &inner.SenderTx)
		cached = &hash
		inner.senderHash.Store(cached)
	}
	hash := *cached
	return &hash
}
