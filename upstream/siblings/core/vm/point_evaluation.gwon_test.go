// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package vm

import (
	"bytes"
	"errors"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto/kzg4844"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The point evaluation of Anzeon chains answers as upstream's, with the same kind of error (spec chain 2.3).
func TestPointEvaluationAnzeon(t *testing.T) {
	vectors, err := loadJson("pointEvaluation")
	require.Truef(t, err == nil && len(vectors) != 0, "%d vectors (error %v)", len(vectors), err)
	valid := common.Hex2Bytes(vectors[0].Input)
	inputs := [][]byte{nil, valid[:191], append(bytes.Clone(valid), 0)}
	for _, v := range vectors {
		inputs = append(inputs, common.Hex2Bytes(v.Input))
	}
	for i := range valid { // versioned hash, point, claim, commitment and proof
		wrong := bytes.Clone(valid)
		wrong[i] ^= 1
		inputs = append(inputs, wrong)
	}
	for _, version := range []byte{0x01, 0xc0} { // a commitment that matches its hash and is no point, and infinity
		input := make([]byte, blobVerifyInputLength)
		input[96], input[144] = version, 0xc0
		hash := kZGToVersionedHash(kzg4844.Commitment(input[96:144]))
		copy(input, hash[:])
		inputs = append(inputs, input)
	}
	kinds := []error{errBlobVerifyInvalidInputLength, errBlobVerifyMismatchedVersion, errBlobVerifyKZGProof}
	addr, accepted := common.Address{19: 0x0a}, 0
	for _, set := range []PrecompiledContracts{PrecompiledContractsAnzeon, PrecompiledContractsBoho} {
		anzeon, ok := set[addr].(*pointEvaluation)
		require.Truef(t, ok, "the precompile %T needs the trusted setup", set[addr])
		upstream := PrecompiledContractsCancun[addr]
		assert.Truef(t, anzeon.Name() == upstream.Name() && anzeon.RequiredGas(nil) == upstream.RequiredGas(nil),
			"the precompile is %s for %d gas", anzeon.Name(), anzeon.RequiredGas(nil))
		for _, input := range inputs {
			have, haveErr := anzeon.Run(input)
			want, wantErr := upstream.Run(input)
			assert.Truef(t, bytes.Equal(have, want) && (haveErr == nil) == (wantErr == nil),
				"%x: %x (error %v), want %x (error %v)", input, have, haveErr, want, wantErr)
			for _, kind := range kinds {
				assert.Truef(t, errors.Is(haveErr, kind) == errors.Is(wantErr, kind),
					"%x: error %v, want %v", input, haveErr, wantErr)
			}
			if haveErr == nil {
				accepted++
			}
		}
	}
	assert.Truef(t, accepted >= 4, "only %d inputs are accepted", accepted)
}
