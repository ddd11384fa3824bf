// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devchain

import (
	"bytes"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

var (
	// impersonatedR begins the R of an impersonated signature; the address of the signer is the rest.
	impersonatedR = crypto.Keccak256([]byte("gwon impersonated signer"))[:common.HashLength-common.AddressLength]
	// impersonatedS is the S of each. Its first byte is 0, so that it is a low value.
	impersonatedS = append([]byte{0}, crypto.Keccak256([]byte("gwon impersonated signature"))[1:]...)
)

// impersonate returns the signature [R || S || V] that stands for the signature of an account whose key is not there.
func impersonate(signer common.Address) []byte {
	return append(append(append(bytes.Clone(impersonatedR), signer[:]...), impersonatedS...), 0)
}

// impersonated returns the account that an impersonated signature names, and whether the signature is one.
func impersonated(r, s *big.Int) (common.Address, bool) {
	if r.BitLen() > 256 || s.BitLen() > 256 {
		return common.Address{}, false
	}
	var word [common.HashLength]byte
	if !bytes.Equal(s.FillBytes(word[:]), impersonatedS) || !bytes.HasPrefix(r.FillBytes(word[:]), impersonatedR) {
		return common.Address{}, false
	}
	return common.BytesToAddress(word[len(impersonatedR):]), true
}
