// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package types

import (
	"math/big"

	"github.com/ethereum/go-ethereum/common"
)

// namedSigner is nil but in the process of a developer chain. A program that does not call NameSigners has no code that
// sets it.
var namedSigner func(r, s *big.Int) (common.Address, bool)

// NameSigners makes this process ask f for the signer of every signature before it recovers one. The program calls it
// before it has a chain. f reports whether the signature names its signer. Nil ends it. It is a symbol of
// each program that calls it.
//
//go:noinline
func NameSigners(f func(r, s *big.Int) (common.Address, bool)) { namedSigner = f }

// impersonated returns the account that a signature names, and whether it names one.
func impersonated(r, s *big.Int) (common.Address, bool) {
	if namedSigner == nil {
		return common.Address{}, false
	}
	return namedSigner(r, s)
}

// NamesSender reports whether the sender's signature names its signer, which it does on developer chains alone.
func NamesSender(tx *Transaction) bool {
	_, r, s := tx.RawSignatureValues()
	_, named := impersonated(r, s)
	return named
}
