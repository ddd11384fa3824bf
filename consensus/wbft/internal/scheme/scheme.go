// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package scheme is the one place through which the engine and its state machine sign, verify and recover: ECDSA over secp256k1 for
// messages and reveals (spec wbft 2.3), BLS for seals (spec wbft 2.4, 2.5). They are variables so that a simulation of thousands of
// networks can have cheaper ones with the same properties. Nothing outside consensus/wbft can reach them, and a program never
// assigns them.
package scheme

import (
	"crypto/ecdsa"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/bls"
)

// Messages and reveals.
var (
	// Sign signs a hash of 32 bytes. The signature has 65 bytes, R || S || V with V 0 or 1.
	Sign = crypto.Sign
	// Recover returns the address of the key that has signed a hash.
	Recover = recoverAddress
)

// Seals; package bls documents each of them.
var (
	Seal            = (*bls.SecretKey).Sign
	Verify          = bls.Verify
	VerifyAggregate = bls.VerifyAggregate
	VerifyBatch     = bls.VerifyBatch
	Aggregate       = bls.AggregateSignatures
	AllValid        = bls.AllValid
	Invalid         = bls.Invalid
)

func recoverAddress(hash, signature []byte) (common.Address, error) {
	key, err := crypto.SigToPub(hash, signature)
	if err != nil {
		return common.Address{}, err
	}
	return crypto.PubkeyToAddress(*key), nil
}

// SignWith returns what signs the keccak of a payload with a key.
func SignWith(key *ecdsa.PrivateKey) func(payload []byte) ([]byte, error) {
	return func(payload []byte) ([]byte, error) { return Sign(crypto.Keccak256(payload), key) }
}
