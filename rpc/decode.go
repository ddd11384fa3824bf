// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/core/types"
)

// shapes describes the bytes of each transaction type. All but legacy transactions have a type byte first (spec
// transactions 1).
var shapes = map[byte]string{
	types.LegacyTxType:     "a legacy transaction is the RLP list of its nine fields",
	types.AccessListTxType: "a transaction of type 0x01 is that byte and the RLP list of its eleven fields",
	types.DynamicFeeTxType: "a transaction of type 0x02 is that byte and the RLP list of its twelve fields",
	types.SetCodeTxType:    "a transaction of type 0x04 is that byte and the RLP list of its thirteen fields",
	types.FeeDelegateTxType: "a fee-delegated transaction is 0x16 and the RLP of [[the sender's twelve fields], fee " +
		"payer, v, r, s]",
}

// decodeTransaction decodes a signed transaction in canonical form. Errors begin like go-stablenet's (spec rpc 8.1)
// and describe the expected bytes.
func decodeTransaction(raw []byte) (*types.Transaction, error) {
	tx := new(types.Transaction)
	err := tx.UnmarshalBinary(raw)
	if err == nil {
		return tx, nil
	}
	if len(raw) < 2 {
		return nil, fmt.Errorf("%w: give all bytes of the signed transaction, in hexadecimal after 0x", err)
	}
	kind := byte(types.LegacyTxType)
	if raw[0] < 0x80 {
		kind = raw[0]
	}
	shape, known := shapes[kind]
	if !known || raw[0] == types.LegacyTxType {
		return nil, fmt.Errorf("%w: it begins with %#02x, but the types here are 0x01, 0x02, 0x04 and 0x16, and legacy "+
			"transactions, which begin with 0xc0 or above", types.ErrTxTypeNotSupported, raw[0])
	}
	return nil, fmt.Errorf("%s: %s, complete and without further bytes", plainRLP(err), shape)
}

// plainRLP returns the text of a decoding error without the names of Go types that package rlp adds.
func plainRLP(err error) string {
	text, _, _ := strings.Cut(err.Error(), ", decoding into ")
	text, _, _ = strings.Cut(text, " for ")
	return text
}
