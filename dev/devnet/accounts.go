// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devnet

import (
	"crypto/ecdsa"
	"encoding/hex"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/internal/wellknown"
)

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

// NewAccount returns the well-known account with index i from 0.
func NewAccount(i int) (Account, error) {
	known, err := wellknown.OfDevnet(i)
	if err != nil {
		return Account{}, err
	}
	return AccountOf(known.Key), nil
}

// AccountOf returns the account of a public key pair.
func AccountOf(key *ecdsa.PrivateKey) Account {
	return Account{
		Address:    crypto.PubkeyToAddress(key.PublicKey),
		PrivateKey: "0x" + hex.EncodeToString(crypto.FromECDSA(key)),
		key:        key,
	}
}
