// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devnet

import (
	"crypto/ecdsa"
	"encoding/hex"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

// accountPhrase and a number make the private key of a funded account. Everybody knows it: coins on these accounts are
// worth nothing, on any chain.
const accountPhrase = "gwon devnet account %d"

// Account is a funded account of a development network.
type Account struct {
	Address    common.Address `json:"address"`
	PrivateKey string         `json:"privateKey"` // 32 bytes, hex with 0x
	FeePayer   bool           `json:"feePayer"`   // unlocked on the first node
	Member     bool           `json:"member"`     // of the four governances

	key *ecdsa.PrivateKey
}

// Key returns the private key.
func (a Account) Key() *ecdsa.PrivateKey { return a.key }

// NewAccount returns the i-th well-known account, counted from 0: its private key is keccak256 of accountPhrase.
func NewAccount(i int) (Account, error) {
	key, err := crypto.ToECDSA(crypto.Keccak256(fmt.Appendf(nil, accountPhrase, i)))
	if err != nil {
		return Account{}, fmt.Errorf("make account %d: %w", i, err)
	}
	return AccountOf(key), nil
}

// AccountOf returns the account of a key that anybody may know.
func AccountOf(key *ecdsa.PrivateKey) Account {
	return Account{
		Address:    crypto.PubkeyToAddress(key.PublicKey),
		PrivateKey: "0x" + hex.EncodeToString(crypto.FromECDSA(key)),
		key:        key,
	}
}
