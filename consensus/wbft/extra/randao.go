// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package extra

import (
	"crypto/ecdsa"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/internal/scheme"
)

// randaoVersion stands between chain id and number in the randao data (spec wbft 2.3).
const randaoVersion = 0x01

// RandaoData returns keccak(chain id || 0x01 || number), both integers minimal big-endian (spec wbft 2.3). It is
// hashed once more when it is signed.
func RandaoData(chainID *big.Int, number uint64) common.Hash {
	return crypto.Keccak256Hash(chainID.Bytes(), []byte{randaoVersion}, new(big.Int).SetUint64(number).Bytes())
}

// randaoDigest is what the signature covers: signing hashes its input, which is a hash already.
func randaoDigest(chainID *big.Int, number uint64) []byte {
	return crypto.Keccak256(RandaoData(chainID, number).Bytes())
}

// RandaoReveal returns the reveal of block number by the owner of key, a secp256k1 signature of 65 bytes R || S || V
// with V 0 or 1 (spec wbft 2.3). It is deterministic.
func RandaoReveal(key *ecdsa.PrivateKey, chainID *big.Int, number uint64) ([]byte, error) {
	reveal, err := scheme.Sign(randaoDigest(chainID, number), key)
	if err != nil {
		return nil, fmt.Errorf("sign randao reveal: %w", err)
	}
	return reveal, nil
}

// RecoverRandao returns the address that made the reveal of block number, which must be the coinbase (spec wbft 7.1
// no. 18). A signature with a high S is as good as one with a low S.
func RecoverRandao(reveal []byte, chainID *big.Int, number uint64) (common.Address, error) {
	address, err := scheme.Recover(randaoDigest(chainID, number), reveal)
	if err != nil {
		return common.Address{}, fmt.Errorf("recover randao reveal: %w", err)
	}
	return address, nil
}

// RandaoKey returns the public key that made the reveal of block number: the node key of the block's coinbase.
func RandaoKey(reveal []byte, chainID *big.Int, number uint64) (*ecdsa.PublicKey, error) {
	key, err := crypto.SigToPub(randaoDigest(chainID, number), reveal)
	if err != nil {
		return nil, fmt.Errorf("recover randao reveal: %w", err)
	}
	return key, nil
}

// MixHash returns the mixHash of a block from that of its parent and its own reveal: parentMix XOR keccak(reveal)
// (spec wbft 1.1).
func MixHash(parentMix common.Hash, reveal []byte) common.Hash {
	mix := crypto.Keccak256Hash(reveal)
	for i := range mix {
		mix[i] ^= parentMix[i]
	}
	return mix
}
