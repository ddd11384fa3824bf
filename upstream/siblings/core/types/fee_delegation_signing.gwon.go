// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package types

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params/forks"
	"github.com/ethereum/go-ethereum/rlp"
)

// ErrInvalidFeePayer is wrapped by the errors of VerifyFeePayer. Its text is the one clients know (spec transactions
// 4.1).
var ErrInvalidFeePayer = errors.New("fee delegation: invalid feePayer")

// ErrFeePayerNotSet is the error of a type 0x16 transaction that names no fee payer (spec transactions 2.4). It is an
// ErrInvalidFeePayer to errors.Is.
var ErrFeePayerNotSet error = feePayerNotSet{}

type feePayerNotSet struct{}

func (feePayerNotSet) Error() string { return "fee delegation: feePayer not set" }

// Is implements the interface of errors.Is.
func (feePayerNotSet) Is(target error) bool { return target == ErrInvalidFeePayer }

// anzeonSigner recovers the senders of all transaction types of an Anzeon chain. It signs all but 0x16.
type anzeonSigner struct{ modernSigner }

// NewAnzeonSigner returns the signer of every block of an Anzeon chain: types 0, 1, 2, 4 and 0x16 (spec transactions
// 1.2, "Signer selection"). It refuses to sign type 0x16: the sender signs as type 2, the fee payer by
// NewFeeDelegateSigner. Like upstream's signers it panics when chainID is nil or not positive.
func NewAnzeonSigner(chainID *big.Int) Signer {
	s := &anzeonSigner{*newModernSigner(chainID, forks.London).(*modernSigner)}
	s.txtypes.set(SetCodeTxType)
	s.txtypes.set(FeeDelegateTxType)
	return s
}

func (s *anzeonSigner) Equal(other Signer) bool {
	o, ok := other.(*anzeonSigner)
	return ok && s.modernSigner.Equal(&o.modernSigner)
}

func (s *anzeonSigner) SignatureValues(tx *Transaction, sig []byte) (R, S, V *big.Int, err error) {
	if tx.Type() == FeeDelegateTxType {
		return nil, nil, nil, ErrTxTypeNotSupported
	}
	return s.modernSigner.SignatureValues(tx, sig)
}

// feeDelegateSigner signs type 0x16 as its fee payer and is otherwise the signer it embeds.
type feeDelegateSigner struct{ Signer }

// NewFeeDelegateSigner returns a signer with which SignTx and WithSignature set the fee payer's signature of a type
// 0x16 transaction. Sender recovery and other types are those of NewAnzeonSigner.
func NewFeeDelegateSigner(chainID *big.Int) Signer {
	return feeDelegateSigner{NewAnzeonSigner(chainID)}
}

func (s feeDelegateSigner) Equal(other Signer) bool {
	o, ok := other.(feeDelegateSigner)
	return ok && s.Signer.Equal(o.Signer)
}

// Hash returns the fee payer hash of a type 0x16 transaction.
func (s feeDelegateSigner) Hash(tx *Transaction) common.Hash {
	if inner, ok := tx.inner.(*FeeDelegateTx); ok {
		return inner.payerHash(s.ChainID())
	}
	return s.Signer.Hash(tx)
}

func (s feeDelegateSigner) SignatureValues(tx *Transaction, sig []byte) (R, S, V *big.Int, err error) {
	if tx.Type() != FeeDelegateTxType {
		return s.Signer.SignatureValues(tx, sig)
	}
	if id := tx.inner.chainID(); id.Sign() != 0 && id.Cmp(s.ChainID()) != 0 {
		return nil, nil, nil, ErrInvalidChainId
	}
	if R, S, _, err = decodeSignature(sig); err != nil {
		return nil, nil, nil, err
	}
	return R, S, big.NewInt(int64(sig[crypto.RecoveryIDOffset])), nil
}

func (tx *FeeDelegateTx) payerHash(chainID *big.Int) common.Hash {
	return prefixedRlpHash(FeeDelegateTxType, tx.payerPreimage(chainID))
}

// FeePayerSigningData returns the bytes whose Keccak-256 the fee payer signs on the chain with this ID: 0x16 and the
// RLP list of the twelve signed sender fields and the fee payer (spec transactions 1.2). It returns nil for other
// types.
func (tx *Transaction) FeePayerSigningData(chainID *big.Int) []byte {
	inner, ok := tx.inner.(*FeeDelegateTx)
	if !ok {
		return nil
	}
	list, err := rlp.EncodeToBytes(inner.payerPreimage(chainID))
	if err != nil {
		return nil // a negative integer, which no decoder produces
	}
	return append([]byte{FeeDelegateTxType}, list...)
}

// RecoverFeePayer returns the account that made the fee payer's signature. It need not be the account that the
// transaction names: see VerifyFeePayer. The result or its absence is cached with the transaction, so that a wrong
// signature costs one recovery. Of the signer only the chain ID matters.
func RecoverFeePayer(signer Signer, tx *Transaction) (common.Address, error) {
	inner, ok := tx.inner.(*FeeDelegateTx)
	if !ok {
		return common.Address{}, ErrTxTypeNotSupported
	}
	chainID := signer.ChainID()
	if chainID == nil {
		return common.Address{}, ErrInvalidChainId
	}
	if c := inner.payer.Load(); c != nil && c.chainID.Cmp(chainID) == 0 {
		return c.payer, c.err
	}
	if inner.chainID().Cmp(chainID) != 0 {
		return common.Address{}, ErrInvalidChainId
	}
	v := new(big.Int).Add(inner.FV, big.NewInt(27))
	payer, err := recoverPlain(inner.payerHash(chainID), inner.FR, inner.FS, v, true)
	inner.payer.Store(&payerCache{chainID, payer, err})
	return payer, err
}

// VerifyFeePayer returns nil when a type 0x16 transaction names a fee payer and this account has signed it, and for
// every other type (spec transactions 2.4). The errors wrap ErrInvalidFeePayer and say who has signed.
func VerifyFeePayer(signer Signer, tx *Transaction) error {
	inner, ok := tx.inner.(*FeeDelegateTx)
	if !ok {
		return nil
	}
	if inner.FeePayer == nil {
		return ErrFeePayerNotSet
	}
	payer, err := RecoverFeePayer(signer, tx)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInvalidFeePayer, err)
	}
	if payer != *inner.FeePayer {
		return fmt.Errorf("%w: signed by %v, not by %v", ErrInvalidFeePayer, payer, *inner.FeePayer)
	}
	return nil
}

// CheckFeePayer is VerifyFeePayer with the bare errors that clients of the network know: ErrFeePayerNotSet and
// ErrInvalidFeePayer.
func CheckFeePayer(signer Signer, tx *Transaction) error {
	switch err := VerifyFeePayer(signer, tx); {
	case err == nil:
		return nil
	case errors.Is(err, ErrFeePayerNotSet):
		return ErrFeePayerNotSet
	default:
		return ErrInvalidFeePayer
	}
}
