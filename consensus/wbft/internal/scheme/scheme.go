// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package scheme is the one place through which the engine and its state machine sign, verify and recover: ECDSA over
// secp256k1 for messages and reveals (spec wbft 2.3), BLS for seals (spec wbft 2.4, 2.5).
//
// They are variables, so that a simulation of thousands of networks can have cheaper ones with the same properties.
// Only consensus/wbft can reach them, and a program never assigns them.
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

// Signature is a decoded seal.
type Signature interface{ Bytes() []byte }

// Seals; package bls documents each of them.
var (
	Seal            = (*bls.SecretKey).Sign
	Verify          = bls.Verify
	VerifyAggregate = bls.VerifyAggregate
	VerifyBatch     = bls.VerifyBatch
	ParseSignature  = parseSignature
	Sum             = func(seals []Signature) []byte { return bls.Sum(unwrap(seals)) }
	SumsValid       = func(lots ...Singles) bool { return bls.SumsValid(unwrapAll(lots)...) }
	AllValid        = func(lot Singles) bool { return bls.AllValid(unwrapAll([]Singles{lot})[0]) }
	FindBad         = func(lot Singles) []int { return bls.FindBad(unwrapAll([]Singles{lot})[0]) }
)

// Singles are seals over one message: Seals[i] is claimed to be that of Keys[i].
type Singles struct {
	Keys    []*bls.PublicKey
	Message []byte
	Seals   []Signature
}

func unwrapAll(lots []Singles) []bls.Singles {
	list := make([]bls.Singles, len(lots))
	for i, lot := range lots {
		list[i] = bls.Singles{Keys: lot.Keys, Message: lot.Message, Signatures: unwrap(lot.Seals)}
	}
	return list
}

func parseSignature(encoded []byte) (Signature, error) {
	s, err := bls.ParseSignature(encoded)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// unwrap returns the decoded seals, nil for one that could not be decoded.
func unwrap(seals []Signature) []*bls.Signature {
	list := make([]*bls.Signature, len(seals))
	for i, s := range seals {
		list[i], _ = s.(*bls.Signature)
	}
	return list
}

func recoverAddress(hash, signature []byte) (common.Address, error) {
	key, err := crypto.SigToPub(hash, signature)
	if err != nil {
		return common.Address{}, err
	}
	return crypto.PubkeyToAddress(*key), nil
}

// SignWith returns a function that signs the keccak of a payload with a key.
func SignWith(key *ecdsa.PrivateKey) func(payload []byte) ([]byte, error) {
	return func(payload []byte) ([]byte, error) { return Sign(crypto.Keccak256(payload), key) }
}
