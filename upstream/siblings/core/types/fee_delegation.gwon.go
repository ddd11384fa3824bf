// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package types

import (
	"bytes"
	"errors"
	"math/big"
	"sync/atomic"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/rlp"
)

// FeeDelegateTxType is the type byte of fee-delegated transactions.
const FeeDelegateTxType = 0x16

// errSenderTxType has the text that clients of the signing interfaces know (spec transactions 5.3).
var errSenderTxType = errors.New("senderTx type error")

// FeeDelegateTx is a complete, signed EIP-1559 transaction together with an account that pays its fees and the
// signature of that account (spec transactions 1.2). A nil FeePayer is encoded as an empty string; the sender pays
// then.
//
// FV is the parity of the fee payer's signature, 0 or 1. Decoding does not judge FV, FR and FS: blocks with any
// signature in them must decode.
type FeeDelegateTx struct {
	SenderTx DynamicFeeTx
	FeePayer *common.Address `rlp:"nil"`
	FV       *big.Int
	FR       *big.Int
	FS       *big.Int

	payer      atomic.Pointer[payerCache]
	senderHash atomic.Pointer[common.Hash] // see SenderTransactionHash
}

// payerCache is the account recovered from the fee payer's signature, or why there is none. It depends on the chain ID.
type payerCache struct {
	chainID *big.Int
	payer   common.Address
	err     error
}

// WrapFeeDelegated makes a fee-delegated transaction without fee-payer signature from the sender's signed EIP-1559
// transaction, which it takes over whole. It fails for every other type. Whether the sender's signature is valid is for
// the caller to check.
func WrapFeeDelegated(senderTx *Transaction, feePayer common.Address) (*Transaction, error) {
	inner, ok := senderTx.inner.(*DynamicFeeTx)
	if !ok {
		return nil, errSenderTxType
	}
	return NewTx(&FeeDelegateTx{SenderTx: *inner, FeePayer: &feePayer}), nil
}

// FeePayer returns the account named as fee payer. It is nil for other types, and when the field is empty.
func (tx *Transaction) FeePayer() *common.Address {
	if inner, ok := tx.inner.(*FeeDelegateTx); ok {
		return copyAddressPtr(inner.FeePayer)
	}
	return nil
}

// FeePayerSignature returns the signature values of the fee payer, nil for other types. The caller must not change
// them.
func (tx *Transaction) FeePayerSignature() (v, r, s *big.Int) {
	if inner, ok := tx.inner.(*FeeDelegateTx); ok {
		return inner.FV, inner.FR, inner.FS
	}
	return nil, nil, nil
}

func (tx *FeeDelegateTx) copy() TxData {
	return &FeeDelegateTx{
		SenderTx: *tx.SenderTx.copy().(*DynamicFeeTx),
		FeePayer: copyAddressPtr(tx.FeePayer),
		FV:       copyBigOrZero(tx.FV),
		FR:       copyBigOrZero(tx.FR),
		FS:       copyBigOrZero(tx.FS),
	}
}

func copyBigOrZero(x *big.Int) *big.Int {
	if x == nil {
		return new(big.Int)
	}
	return new(big.Int).Set(x)
}

func (tx *FeeDelegateTx) txType() byte           { return FeeDelegateTxType }
func (tx *FeeDelegateTx) chainID() *big.Int      { return tx.SenderTx.ChainID }
func (tx *FeeDelegateTx) accessList() AccessList { return tx.SenderTx.AccessList }
func (tx *FeeDelegateTx) data() []byte           { return tx.SenderTx.Data }
func (tx *FeeDelegateTx) gas() uint64            { return tx.SenderTx.Gas }
func (tx *FeeDelegateTx) gasPrice() *big.Int     { return tx.SenderTx.GasFeeCap }
func (tx *FeeDelegateTx) gasTipCap() *big.Int    { return tx.SenderTx.GasTipCap }
func (tx *FeeDelegateTx) gasFeeCap() *big.Int    { return tx.SenderTx.GasFeeCap }
func (tx *FeeDelegateTx) value() *big.Int        { return tx.SenderTx.Value }
func (tx *FeeDelegateTx) nonce() uint64          { return tx.SenderTx.Nonce }
func (tx *FeeDelegateTx) to() *common.Address    { return tx.SenderTx.To }

func (tx *FeeDelegateTx) effectiveGasPrice(dst *big.Int, baseFee *big.Int) *big.Int {
	return tx.SenderTx.effectiveGasPrice(dst, baseFee)
}

// rawSignatureValues returns the sender's signature.
func (tx *FeeDelegateTx) rawSignatureValues() (v, r, s *big.Int) {
	return tx.SenderTx.rawSignatureValues()
}

// setSignatureValues sets the fee payer's signature. The sender's part is signed before, as type 2, and the fee payer
// signs over it; so its chain ID stays.
func (tx *FeeDelegateTx) setSignatureValues(_, v, r, s *big.Int) {
	tx.FV, tx.FR, tx.FS = v, r, s
}

func (tx *FeeDelegateTx) encode(b *bytes.Buffer) error { return rlp.Encode(b, tx) }

func (tx *FeeDelegateTx) decode(input []byte) error { return rlp.DecodeBytes(input, tx) }

// sigHash returns what the sender signs: the hash of the EIP-1559 transaction, with its prefix 0x02.
func (tx *FeeDelegateTx) sigHash(chainID *big.Int) common.Hash {
	return tx.SenderTx.sigHash(chainID)
}

// payerPreimage is the content that the fee payer signs, behind the type byte.
type payerPreimage struct {
	SenderTx DynamicFeeTx
	FeePayer *common.Address `rlp:"nil"`
}

func (tx *FeeDelegateTx) payerPreimage(chainID *big.Int) *payerPreimage {
	p := &payerPreimage{tx.SenderTx, tx.FeePayer}
	p.SenderTx.ChainID = chainID
	return p
}
