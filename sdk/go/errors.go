// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wkrc

import (
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
)

// Party is one of the two accounts that sign a transaction of type 0x16.
type Party string

// The two parties.
const (
	Sender   Party = "sender"
	FeePayer Party = "fee payer"
)

// EncodingError is the error of bytes or JSON that are not the canonical form of a transaction.
type EncodingError struct {
	Reason string
	Err    error // may be nil
}

// Error implements error.
func (e *EncodingError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("not a canonical transaction: %s: %v", e.Reason, e.Err)
	}
	return "not a canonical transaction: " + e.Reason
}

// Unwrap returns the error of the decoder below.
func (e *EncodingError) Unwrap() error { return e.Err }

// TypeError is the error of a transaction type that does not exist on the network, or that cannot be sponsored.
type TypeError struct {
	Type   byte
	Remedy string
}

// Error implements error.
func (e *TypeError) Error() string {
	return fmt.Sprintf("transaction type %#x does not fit here: %s", e.Type, e.Remedy)
}

// ChainError is the error of a transaction that is signed for another chain.
type ChainError struct {
	Have, Want *big.Int
}

// Error implements error.
func (e *ChainError) Error() string {
	return fmt.Sprintf("transaction is signed for chain ID %s: sign it for chain ID %s", shortInteger(e.Have),
		shortInteger(e.Want))
}

// shortInteger returns the digits of an integer that a stranger may have chosen.
func shortInteger(n *big.Int) string {
	switch {
	case n == nil:
		return "none"
	case n.BitLen() > 256:
		return fmt.Sprintf("of %d bits", n.BitLen())
	}
	return n.String()
}

// SignatureError is the error of signature values that no account can have made.
type SignatureError struct {
	By     Party
	HighS  bool // s is in the upper half of the curve order, which the network refuses
	Reason string
}

// Error implements error.
func (e *SignatureError) Error() string {
	return fmt.Sprintf("signature of the %s: %s", e.By, e.Reason)
}

// FeePayerError is the error of a transaction whose fee payer's signature is another account's.
type FeePayerError struct {
	Named  common.Address // in the transaction
	Signed common.Address // recovered from the signature
}

// Error implements error.
func (e *FeePayerError) Error() string {
	return fmt.Sprintf("transaction names fee payer %v, but %v has signed: let the fee payer sign it again", e.Named,
		e.Signed)
}

// HashError is the error of a node whose answer does not have the hash that it claims.
type HashError struct {
	What       string
	Have, Want common.Hash
}

// Error implements error.
func (e *HashError) Error() string {
	return fmt.Sprintf("node answered with a %s of hash %v, not %v: do not trust this node", e.What, e.Have, e.Want)
}

// ProofError says why a proof is refused. Code is a word for programs: malformed, size, trust, chain, link, older,
// order, epoch, validators, seal, path or transaction.
type ProofError struct{ Code, Reason string }

// Error implements error.
func (e *ProofError) Error() string { return "proof refused (" + e.Code + "): " + e.Reason }

func refuse(code, format string, args ...any) error {
	return &ProofError{code, fmt.Sprintf(format, args...)}
}
