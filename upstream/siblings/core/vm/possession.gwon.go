// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package vm

import (
	"errors"
	"fmt"

	bls12381 "github.com/consensys/gnark-crypto/ecc/bls12-381"
)

const (
	possessionGas     = 45000
	possessionKeySize = bls12381.SizeOfG1AffineCompressed
	possessionSigSize = bls12381.SizeOfG2AffineCompressed
	possessionSuite   = "BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_"
)

// Errors of the proof-of-possession check (spec chain 2.4).
var (
	errPossessionInput = errors.New("invalid input length")
	errPossessionKey   = errors.New("invalid BLS public key")
	errPossessionSig   = errors.New("invalid BLS signature")
)

// blsPossession checks that the holder of a BLS public key has signed it with the secret key (spec chain 2.4). Input:
// 48 bytes of key, compressed G1, and 96 bytes of signature, compressed G2. Output: a 32-byte truth value.
type blsPossession struct{}

// RequiredGas returns the flat price.
func (*blsPossession) RequiredGas([]byte) uint64 { return possessionGas }

// Name returns the name that tracers show.
func (*blsPossession) Name() string { return "BLS_POSSESSION" }

// Cacheable makes the result reusable: it depends on the input only.
func (*blsPossession) Cacheable() bool { return true }

// Run checks the signature over the bytes of the key. A signature at infinity decodes and does not verify.
func (*blsPossession) Run(input []byte) ([]byte, error) {
	if len(input) != possessionKeySize+possessionSigSize {
		return nil, errPossessionInput
	}
	var (
		encodedKey = input[:possessionKeySize]
		key        bls12381.G1Affine
		sig        bls12381.G2Affine
	)
	if n, err := key.SetBytes(encodedKey); err != nil || n != possessionKeySize || key.IsInfinity() {
		return nil, errPossessionKey
	}
	if n, err := sig.SetBytes(input[possessionKeySize:]); err != nil || n != possessionSigSize {
		return nil, errPossessionSig
	}
	message, err := bls12381.HashToG2(encodedKey, []byte(possessionSuite))
	if err != nil {
		return nil, fmt.Errorf("hash BLS public key to curve: %w", err)
	}
	// e(key, H(key)) = e(generator, sig), as a product that must be one.
	_, _, generator, _ := bls12381.Generators()
	key.Neg(&key)
	ok, err := bls12381.PairingCheck([]bls12381.G1Affine{key, generator}, []bls12381.G2Affine{message, sig})
	if err != nil {
		return nil, fmt.Errorf("pair BLS points: %w", err)
	}
	answer := make([]byte, 32)
	if ok {
		answer[31] = 1
	}
	return answer, nil
}
