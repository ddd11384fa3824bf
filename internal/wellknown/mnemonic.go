// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wellknown

import (
	"crypto/ecdsa"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/internal/hdkey"
	"gwon/internal/tomltext"
)

// Mnemonic is the phrase whose accounts every developer tool knows. Everybody has their keys.
const Mnemonic = "test test test test test test test test test test test junk"

// Funded is the number of accounts that a developer chain funds.
const Funded = 10

// Account is an account with its key.
type Account struct {
	Address common.Address
	Key     *ecdsa.PrivateKey
}

// Accounts returns the first accounts of a phrase, by BIP-39 without a password and the path m/44'/60'/0'/0/i.
func Accounts(phrase string, count int) ([]Account, error) {
	seed, err := hdkey.Seed(phrase)
	if err != nil {
		return nil, fmt.Errorf("%q is %w", tomltext.Shortened(phrase), err)
	}
	list := make([]Account, count)
	for i := range list {
		key, err := hdkey.Derive(seed, hdkey.Path(0, 0, uint32(i)))
		if err != nil {
			return nil, fmt.Errorf("account %d of the mnemonic: %w", i, err)
		}
		list[i] = Account{crypto.PubkeyToAddress(key.PublicKey), key}
	}
	return list, nil
}
