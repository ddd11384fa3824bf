// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wkrc

import (
	"bytes"
	"errors"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"
)

// FeeDelegatedTxType is the type byte of fee-delegated transactions.
const FeeDelegatedTxType = 0x16

// Transaction is a signed transaction of any type of the network. It is immutable.
//
// A transaction of type 0x16 contains a complete type-2 transaction, which its sender has signed. That one is
// SenderTx: nonce, recipient, value, data, gas and fees are read there, for every type.
type Transaction struct {
	inner *types.Transaction
	payer *feePayerPart // nil for types other than 0x16
}

// feePayerPart is what a fee payer adds to a sender's transaction.
type feePayerPart struct {
	account common.Address
	v, r, s *big.Int
}

// feeDelegatedRLP is the content of the canonical form, behind the type byte.
type feeDelegatedRLP struct {
	Sender     types.DynamicFeeTx
	FeePayer   common.Address
	FV, FR, FS *big.Int
}

// feePayerPreimage is what the fee payer signs, behind the type byte.
type feePayerPreimage struct {
	Sender   types.DynamicFeeTx
	FeePayer common.Address
}

// Plain returns a transaction of a type that go-ethereum knows.
func Plain(tx *types.Transaction) *Transaction { return &Transaction{inner: tx} }

// Type returns the type byte.
func (t *Transaction) Type() byte {
	if t.payer != nil {
		return FeeDelegatedTxType
	}
	return t.inner.Type()
}

// SenderTx returns what the sender has signed: the type-2 transaction of a type 0x16 one, or the transaction itself.
func (t *Transaction) SenderTx() *types.Transaction { return t.inner }

// SenderHash returns the hash of SenderTx, which the sender knows before a fee payer is found.
func (t *Transaction) SenderHash() common.Hash { return t.inner.Hash() }

// Hash returns the hash under which the chain has the transaction.
func (t *Transaction) Hash() common.Hash {
	if t.payer == nil {
		return t.inner.Hash()
	}
	return crypto.Keccak256Hash(t.encode())
}

// FeePayer returns the account that the transaction names as fee payer. It is nil for types other than 0x16. Check
// tells whether that account has signed.
func (t *Transaction) FeePayer() *common.Address {
	if t.payer == nil {
		return nil
	}
	account := t.payer.account
	return &account
}

// FeePayerSignature returns the values of the fee payer's signature, nil for types other than 0x16. v is 0 or 1.
func (t *Transaction) FeePayerSignature() (v, r, s *big.Int) {
	if t.payer == nil {
		return nil, nil, nil
	}
	return new(big.Int).Set(t.payer.v), new(big.Int).Set(t.payer.r), new(big.Int).Set(t.payer.s)
}

// Sender recovers the account that signed SenderTx for a chain. Errors are *ChainError, *SignatureError and *TypeError.
func (t *Transaction) Sender(chainID *big.Int) (common.Address, error) {
	tx := t.inner
	switch tx.Type() {
	case types.LegacyTxType, types.AccessListTxType, types.DynamicFeeTxType, types.SetCodeTxType:
	default:
		return common.Address{}, foreignType(tx.Type())
	}
	if tx.Protected() && tx.ChainId().Cmp(chainID) != 0 {
		return common.Address{}, &ChainError{Have: tx.ChainId(), Want: new(big.Int).Set(chainID)}
	}
	if tx.Type() != types.LegacyTxType {
		v, r, s := tx.RawSignatureValues()
		if err := checkSignature(Sender, v, r, s); err != nil {
			return common.Address{}, err
		}
	}
	sender, err := types.Sender(types.NewPragueSigner(chainID), tx)
	if err != nil {
		return common.Address{}, &SignatureError{By: Sender, Reason: err.Error()}
	}
	return sender, nil
}

// Check recovers both accounts of a transaction and compares the fee payer with the one that is named. feePayer is nil
// for types other than 0x16. Errors are those of Sender and *FeePayerError.
func (t *Transaction) Check(chainID *big.Int) (sender common.Address, feePayer *common.Address, err error) {
	if sender, err = t.Sender(chainID); err != nil || t.payer == nil {
		return sender, nil, err
	}
	p := t.payer
	if err := checkSignature(FeePayer, p.v, p.r, p.s); err != nil {
		return sender, nil, err
	}
	hash, err := FeePayerHash(t.inner, p.account)
	if err != nil {
		return sender, nil, err
	}
	signature := make([]byte, crypto.SignatureLength)
	p.r.FillBytes(signature[:32])
	p.s.FillBytes(signature[32:64])
	signature[crypto.RecoveryIDOffset] = byte(p.v.Uint64())
	key, err := crypto.SigToPub(hash[:], signature)
	if err != nil {
		return sender, nil, &SignatureError{By: FeePayer, Reason: err.Error()}
	}
	if signed := crypto.PubkeyToAddress(*key); signed != p.account {
		return sender, nil, &FeePayerError{Named: p.account, Signed: signed}
	}
	return sender, t.FeePayer(), nil
}

// checkSignature refuses values that the network refuses: parity 0 or 1, r and s in range, low s.
func checkSignature(by Party, v, r, s *big.Int) error {
	if v == nil || r == nil || s == nil || v.Sign() == 0 && r.Sign() == 0 && s.Sign() == 0 {
		return &SignatureError{By: by, Reason: "missing"}
	}
	if !v.IsUint64() || v.Uint64() > 1 {
		return &SignatureError{By: by, Reason: "parity is " + shortInteger(v) + ", neither 0 nor 1"}
	}
	if crypto.ValidateSignatureValues(byte(v.Uint64()), r, s, true) {
		return nil
	}
	if crypto.ValidateSignatureValues(byte(v.Uint64()), r, s, false) {
		return &SignatureError{By: by, HighS: true,
			Reason: "s is above half of the curve order: use the other of the two equal signatures"}
	}
	return &SignatureError{By: by, Reason: "r or s is zero or not below the curve order"}
}

// MarshalBinary returns the canonical form, as eth_sendRawTransaction takes it.
func (t *Transaction) MarshalBinary() ([]byte, error) {
	if t.payer == nil {
		return t.inner.MarshalBinary()
	}
	return t.encode(), nil
}

// encode returns the canonical form of a type 0x16 transaction.
func (t *Transaction) encode() []byte {
	return typed(&feeDelegatedRLP{dynamicFeeTx(t.inner), t.payer.account, t.payer.v, t.payer.r, t.payer.s})
}

// typed returns the type byte 0x16 and the RLP of content, whose integers are not negative.
func typed(content any) []byte {
	var b bytes.Buffer
	b.WriteByte(FeeDelegatedTxType)
	if err := rlp.Encode(&b, content); err != nil {
		panic(err) // a negative integer, which neither Decode nor AddFeePayer lets in
	}
	return b.Bytes()
}

// dynamicFeeTx returns the fields of a type-2 transaction.
func dynamicFeeTx(tx *types.Transaction) types.DynamicFeeTx {
	v, r, s := tx.RawSignatureValues()
	return types.DynamicFeeTx{
		ChainID: tx.ChainId(), Nonce: tx.Nonce(), GasTipCap: tx.GasTipCap(), GasFeeCap: tx.GasFeeCap(), Gas: tx.Gas(),
		To:    tx.To(),
		Value: tx.Value(), Data: tx.Data(), AccessList: tx.AccessList(), V: v, R: r, S: s,
	}
}

// Decode reads the canonical form of a transaction of any type of the network. It is strict: other encodings of the
// same transaction, and signature values that the network refuses, are errors. It recovers no account; Check does.
//
// Errors are *EncodingError, *TypeError and *SignatureError.
func Decode(raw []byte) (*Transaction, error) {
	switch {
	case len(raw) == 0:
		return nil, &EncodingError{Reason: "there are no bytes"}
	case raw[0] == FeeDelegatedTxType:
		return decodeFeeDelegated(raw)
	case raw[0] < 0x80 && raw[0] != types.AccessListTxType && raw[0] != types.DynamicFeeTxType &&
		raw[0] != types.SetCodeTxType:
		return nil, foreignType(raw[0])
	}
	tx := new(types.Transaction)
	if err := tx.UnmarshalBinary(raw); err != nil {
		return nil, &EncodingError{"decode", err}
	}
	return Plain(tx), nil
}

func foreignType(kind byte) error {
	return &TypeError{Type: kind, Remedy: "the network has types 0x0, 0x1, 0x2, 0x4 and 0x16"}
}

func decodeFeeDelegated(raw []byte) (*Transaction, error) {
	var content feeDelegatedRLP
	if err := rlp.DecodeBytes(raw[1:], &content); err != nil {
		return nil, &EncodingError{"decode type 0x16", err}
	}
	return newFeeDelegated(&content)
}

// newFeeDelegated makes a type 0x16 transaction of decoded content.
func newFeeDelegated(content *feeDelegatedRLP) (*Transaction, error) {
	s := &content.Sender
	for _, n := range []*big.Int{s.ChainID, s.GasTipCap, s.GasFeeCap, s.Value} {
		if n.BitLen() > 256 {
			return nil, &EncodingError{Reason: "an integer has more than 256 bits"}
		}
	}
	if err := checkSignature(Sender, s.V, s.R, s.S); err != nil {
		return nil, err
	}
	if err := checkSignature(FeePayer, content.FV, content.FR, content.FS); err != nil {
		return nil, err
	}
	if content.FeePayer == (common.Address{}) {
		return nil, &EncodingError{Reason: "the fee payer is the zero address"}
	}
	return &Transaction{types.NewTx(s), &feePayerPart{content.FeePayer, content.FV, content.FR, content.FS}}, nil
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. It is Decode.
func (t *Transaction) UnmarshalBinary(raw []byte) error {
	decoded, err := Decode(raw)
	if err != nil {
		return err
	}
	*t = *decoded
	return nil
}

// IsWrongChain reports whether an error says that a transaction is signed for another chain.
func IsWrongChain(err error) bool {
	var wrong *ChainError
	return errors.As(err, &wrong)
}
