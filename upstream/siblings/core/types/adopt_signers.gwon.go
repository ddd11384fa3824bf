// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package types

import "github.com/ethereum/go-ethereum/common"

// AdoptSigners gives transactions that were decoded anew, those of a block from a peer, the senders and fee payers that were
// recovered before from other objects of the same transactions. Find returns such an object by transaction hash, or nil; the
// look-up of a pool is meant. A nil find finds nothing. It returns how many transactions were found.
//
// The hash covers both signatures (spec transactions 1.2, "Transaction hash"), so equal hashes mean equal signers. It is
// safe while others use the transactions.
func AdoptSigners(txs []*Transaction, find func(common.Hash) *Transaction) (found int) {
	if find == nil {
		return 0
	}
	for _, tx := range txs {
		known := find(tx.Hash())
		if known == nil || known == tx {
			continue
		}
		found++
		if from := known.from.Load(); from != nil {
			tx.from.CompareAndSwap(nil, from)
		}
		old, ok := known.inner.(*FeeDelegateTx)
		if !ok {
			continue
		}
		if payer := old.payer.Load(); payer != nil {
			tx.inner.(*FeeDelegateTx).payer.CompareAndSwap(nil, payer)
		}
	}
	return found
}
