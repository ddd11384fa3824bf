// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package hdkey derives private keys from a seed (BIP-32) and seeds from a phrase (BIP-39), as wallets do.
package hdkey

import (
	"crypto/ecdsa"
	"crypto/hmac"
	"crypto/sha512"
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/ethereum/go-ethereum/accounts"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/tyler-smith/go-bip39"
)

// hardened is added to an index of a path whose key no public key leads to.
const hardened = 1 << 31

// NewPhrase returns a random phrase of 24 words.
func NewPhrase() (string, error) {
	entropy, err := bip39.NewEntropy(256)
	if err != nil {
		return "", fmt.Errorf("random number: %w", err)
	}
	return bip39.NewMnemonic(entropy)
}

// Seed returns the BIP-39 seed of a phrase without a password. The error does not repeat the phrase.
func Seed(phrase string) ([]byte, error) {
	phrase = strings.Join(strings.Fields(phrase), " ")
	if !bip39.IsMnemonicValid(phrase) {
		return nil, errors.New("no mnemonic: it has 12 to 24 words of the English BIP-39 list, " +
			"and the last one is a checksum")
	}
	return bip39.NewSeed(phrase, ""), nil
}

// Path returns m/44'/60'/account'/chain/index, by which wallets number the keys of a seed: they begin with chain 0.
func Path(account, chain, index uint32) accounts.DerivationPath {
	return accounts.DerivationPath{hardened + 44, hardened + 60, hardened + account, chain, index}
}

var errDerivation = errors.New("the path leads to no key")

// Derive returns the private key that BIP-32 derives from a seed.
func Derive(seed []byte, path accounts.DerivationPath) (*ecdsa.PrivateKey, error) {
	sum := mac([]byte("Bitcoin seed"), seed)
	key, chainCode := new(big.Int).SetBytes(sum[:32]), sum[32:]
	order := crypto.S256().Params().N
	for _, index := range path {
		parent, err := crypto.ToECDSA(key.FillBytes(make([]byte, 32)))
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errDerivation, err)
		}
		data := crypto.CompressPubkey(&parent.PublicKey)
		if index >= hardened {
			data = append([]byte{0}, crypto.FromECDSA(parent)...)
		}
		sum := mac(chainCode, binary.BigEndian.AppendUint32(data, index))
		tweak := new(big.Int).SetBytes(sum[:32])
		if tweak.Cmp(order) >= 0 {
			return nil, errDerivation
		}
		key, chainCode = tweak.Mod(tweak.Add(tweak, key), order), sum[32:]
	}
	return crypto.ToECDSA(key.FillBytes(make([]byte, 32)))
}

func mac(key, data []byte) []byte {
	h := hmac.New(sha512.New, key)
	h.Write(data)
	return h.Sum(nil)
}
