// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package types

import "github.com/ethereum/go-ethereum/common"

// AdoptSigners gives transactions that were decoded again, those of a block from a peer, the senders and fee payers
// that were recovered before from other objects of the same transactions. Find returns such an object by transaction
// hash, or nil; the look-up of a pool is meant. A nil find finds nothing. It returns how many transactions were found.
//
// The hash covers both signatures (spec transactions 1.2, "Transaction hash"), so that equal hashes mean equal signers.
// AdoptSigners is safe for concurrent use of the transactions.
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
		tx.SetSigners(known.Signers())
	}
	return found
}

// Signers holds the recovered signers of a transaction: its sender, and its fee payer or that there is none. Its size
// does not depend on that of the transaction.
type Signers struct {
	from  *sigCache
	payer *payerCache
}

// HasSender tells that the sender has been recovered.
func (s Signers) HasSender() bool { return s.from != nil }

// Signers returns what is known by now.
func (tx *Transaction) Signers() (known Signers) {
	known.from = tx.from.Load()
	if inner, ok := tx.inner.(*FeeDelegateTx); ok {
		known.payer = inner.payer.Load()
	}
	return known
}

// SetSigners gives another object of the same transaction, by its hash, what is known. It is safe while others use it.
func (tx *Transaction) SetSigners(known Signers) {
	if known.from != nil {
		tx.from.CompareAndSwap(nil, known.from)
	}
	if inner, ok := tx.inner.(*FeeDelegateTx); ok && known.payer != nil {
		inner.payer.CompareAndSwap(nil, known.payer)
	}
}

// SetSender sets the sender that a signer has recovered from another object of the same transaction. It is safe for
// concurrent use.
func (tx *Transaction) SetSender(signer Signer, sender common.Address) {
	tx.from.CompareAndSwap(nil, &sigCache{signer: signer, from: sender})
}
