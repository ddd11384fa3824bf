// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wellknown

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
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/tyler-smith/go-bip39"
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
	phrase = strings.Join(strings.Fields(phrase), " ")
	if !bip39.IsMnemonicValid(phrase) {
		return nil, fmt.Errorf("%q is no mnemonic: it has 12 to 24 words of the English BIP-39 list, "+
			"and the last one is a checksum",
			phrase[:min(len(phrase), maxShown)])
	}
	list := make([]Account, count)
	for i := range list {
		path := append(accounts.DerivationPath{}, accounts.DefaultBaseDerivationPath...)
		path[len(path)-1] = uint32(i)
		key, err := derive(bip39.NewSeed(phrase, ""), path)
		if err != nil {
			return nil, fmt.Errorf("account %d of the mnemonic: %w", i, err)
		}
		list[i] = Account{crypto.PubkeyToAddress(key.PublicKey), key}
	}
	return list, nil
}

// maxShown is the number of bytes of a wrong phrase that its error repeats.
const maxShown = 100

var errDerivation = errors.New("the path leads to no key")

// derive returns the private key that BIP-32 derives from a seed.
func derive(seed []byte, path accounts.DerivationPath) (*ecdsa.PrivateKey, error) {
	sum := mac([]byte("Bitcoin seed"), seed)
	key, chainCode := new(big.Int).SetBytes(sum[:32]), sum[32:]
	order := crypto.S256().Params().N
	for _, index := range path {
		parent, err := crypto.ToECDSA(key.FillBytes(make([]byte, 32)))
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errDerivation, err)
		}
		data := crypto.CompressPubkey(&parent.PublicKey)
		if index >= 1<<31 { // hardened
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
