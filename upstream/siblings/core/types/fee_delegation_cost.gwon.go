// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package types

import "math/big"

// SenderCost returns the wei that a transaction may take from its sender: the value alone when another account pays the
// fees, otherwise Cost. A fee payer that is the sender itself, or whose sender cannot be recovered, counts as the
// latter.
func (tx *Transaction) SenderCost() *big.Int {
	inner, ok := tx.inner.(*FeeDelegateTx)
	if !ok || inner.FeePayer == nil || inner.chainID().Sign() <= 0 {
		return tx.Cost()
	}
	// The sender of a typed transaction depends on no other chain ID than its own, so any cached one will do.
	if cached := tx.from.Load(); cached != nil {
		if cached.from == *inner.FeePayer {
			return tx.Cost()
		}
		return tx.Value()
	}
	sender, err := Sender(NewAnzeonSigner(inner.chainID()), tx)
	if err != nil || sender == *inner.FeePayer {
		return tx.Cost()
	}
	return tx.Value()
}
