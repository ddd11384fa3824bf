// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package kzg4844

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"sync"

	bls12381 "github.com/consensys/gnark-crypto/ecc/bls12-381"
	gokzg4844 "github.com/crate-crypto/go-eth-kzg"

	"github.com/ethereum/go-ethereum/common/hexutil"
)

// WithoutSetup defers the preparation of the whole trusted setup, which takes seconds of CPU, until a proof is made or
// a blob checked. A chain without blobs does neither. It must be set before the package is used.
var WithoutSetup bool

// prepareSetup prepares the trusted setup unless it is deferred.
func prepareSetup() {
	if !WithoutSetup {
		gokzgIniter.Do(gokzgInit)
	}
}

var errOpening = errors.New("the opening does not verify")

// verifyingKey is what checking one opening takes of the trusted set-up.
type verifyingKey struct {
	g1       bls12381.G1Affine // generator
	negG2    bls12381.G2Affine // minus the generator
	g2, tau2 bls12381.G2Jac    // generator, and the secret times it
}

// openingKey reads the verifying key out of the trusted set-up, once.
var openingKey = sync.OnceValues(func() (*verifyingKey, error) {
	text, err := content.ReadFile("trusted_setup.json")
	if err != nil {
		return nil, err
	}
	var setup struct {
		G2 []hexutil.Bytes `json:"g2_monomial"`
	}
	if err := json.Unmarshal(text, &setup); err != nil {
		return nil, fmt.Errorf("trusted set-up: %w", err)
	}
	if len(setup.G2) < 2 {
		return nil, errors.New("trusted set-up has no second power in G2")
	}
	var tau2 bls12381.G2Affine
	if _, err := tau2.SetBytes(setup.G2[1]); err != nil {
		return nil, fmt.Errorf("trusted set-up: %w", err)
	}
	key := new(verifyingKey)
	_, _, g1, g2 := bls12381.Generators()
	key.g1 = g1
	key.negG2.Neg(&g2)
	key.g2.FromAffine(&g2)
	key.tau2.FromAffine(&tau2)
	return key, nil
})

// VerifyOpening checks that the polynomial behind commitment C has the claimed value y at point z, by proof P:
// e(C - [y]1, -[1]2) * e(P, [tau]2 - [z]2) = 1 (EIP-4844, verify_kzg_proof_impl of the consensus specification). It
// accepts and refuses the same as VerifyProof because the library decodes its arguments too.
func VerifyOpening(commitment Commitment, point Point, claim Claim, proof Proof) error {
	y, err := gokzg4844.DeserializeScalar(gokzg4844.Scalar(claim))
	if err != nil {
		return err
	}
	z, err := gokzg4844.DeserializeScalar(gokzg4844.Scalar(point))
	if err != nil {
		return err
	}
	c, err := gokzg4844.DeserializeKZGCommitment(gokzg4844.KZGCommitment(commitment))
	if err != nil {
		return err
	}
	p, err := gokzg4844.DeserializeKZGProof(gokzg4844.KZGProof(proof))
	if err != nil {
		return err
	}
	key, err := openingKey()
	if err != nil {
		return err
	}
	var (
		scalar big.Int
		value  bls12381.G1Affine
		left   bls12381.G1Affine
		shift  bls12381.G2Jac
		right  bls12381.G2Affine
	)
	value.ScalarMultiplication(&key.g1, y.BigInt(&scalar))
	left.Sub(&c, &value)
	shift.ScalarMultiplication(&key.g2, z.BigInt(&scalar))
	shift.Neg(&shift).AddAssign(&key.tau2)
	right.FromJacobian(&shift)

	ok, err := bls12381.PairingCheck([]bls12381.G1Affine{left, p}, []bls12381.G2Affine{key.negG2, right})
	if err != nil {
		return err
	}
	if !ok {
		return errOpening
	}
	return nil
}
