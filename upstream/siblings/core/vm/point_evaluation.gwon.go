// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package vm

import (
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto/kzg4844"
)

// pointEvaluation is upstream's precompile 0x0a without the preparation of the trusted setup, which takes seconds of
// CPU and serves blobs, of which an Anzeon chain has none (spec chain 2.3). It returns the same.
type pointEvaluation struct{ kzgPointEvaluation }

// Run verifies a versioned hash, a point, a claimed value, a commitment and a proof, which follow each other in input.
func (*pointEvaluation) Run(input []byte) ([]byte, error) {
	if len(input) != blobVerifyInputLength {
		return nil, errBlobVerifyInvalidInputLength
	}
	commitment := kzg4844.Commitment(input[96:144])
	if kZGToVersionedHash(commitment) != common.Hash(input[:32]) {
		return nil, errBlobVerifyMismatchedVersion
	}
	err := kzg4844.VerifyOpening(commitment, kzg4844.Point(input[32:64]), kzg4844.Claim(input[64:96]),
		kzg4844.Proof(input[144:]))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errBlobVerifyKZGProof, err)
	}
	return common.Hex2Bytes(blobPrecompileReturnValue), nil
}
