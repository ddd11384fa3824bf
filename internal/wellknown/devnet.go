// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wellknown

import (
	"fmt"

	"github.com/ethereum/go-ethereum/crypto"
)

// devnetPhrase and a number derive the private key of a funded account of a devnet.
const devnetPhrase = "gwon devnet account %d"

// OfDevnet returns the funded account of a devnet with index i from 0. Its private key is the Keccak-256 hash of
// devnetPhrase with i.
func OfDevnet(i int) (Account, error) {
	key, err := crypto.ToECDSA(crypto.Keccak256(fmt.Appendf(nil, devnetPhrase, i)))
	if err != nil {
		return Account{}, fmt.Errorf("make account %d: %w", i, err)
	}
	return Account{crypto.PubkeyToAddress(key.PublicKey), key}, nil
}
