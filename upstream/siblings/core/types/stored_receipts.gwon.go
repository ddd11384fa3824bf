// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package types

import "github.com/ethereum/go-ethereum/rlp"

// storedReceiptFields is the number of fields of a stored receipt: status, gas and logs.
const storedReceiptFields = 3

// CanonicalReceipts returns the receipts of a block in their storage form without the fourth field, the effective gas
// price, that go-stablenet stores behind the logs. Other bytes are returned as they are.
func CanonicalReceipts(raw []byte) []byte {
	list, _, err := rlp.SplitList(raw)
	if err != nil || !hasStoredPrice(list) {
		return raw
	}
	w := rlp.NewEncoderBuffer(nil)
	outer := w.List()
	for len(list) > 0 {
		if !hasStoredPrice(list) {
			return raw
		}
		receipt, rest, err := rlp.SplitList(list)
		price := receipt
		for range storedReceiptFields {
			if err == nil {
				_, _, price, err = rlp.Split(price)
			}
		}
		if err != nil {
			return raw
		}
		inner := w.List()
		if _, err := w.Write(receipt[:len(receipt)-len(price)]); err != nil {
			return raw
		}
		w.ListEnd(inner)
		list = rest
	}
	w.ListEnd(outer)
	return w.ToBytes()
}

// hasStoredPrice reports whether the first of some receipts has the fourth field. One program stores all receipts of a
// block.
func hasStoredPrice(receipts []byte) bool {
	first, _, err := rlp.SplitList(receipts)
	if err != nil {
		return false
	}
	fields, err := rlp.CountValues(first)
	return err == nil && fields == storedReceiptFields+1
}
