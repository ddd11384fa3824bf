// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package bls

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/supranational/blst/bindings/go"
)

// MaxShares bounds the number of shares of a key.
const MaxShares = 16

// Share is the value of a secret polynomial at Index, whose value at zero is a secret key (Shamir). As many shares as
// the threshold make a signature of the key. Fewer say nothing about the key.
type Share struct {
	Index byte // 1 to MaxShares
	Key   *SecretKey
}

// Split splits a key into shares with the indices 1 to count, any threshold of which sign for it.
func Split(key *SecretKey, threshold, count int) ([]Share, error) {
	if threshold < 1 || count < threshold || count > MaxShares {
		return nil, fmt.Errorf("cannot split a key into %d shares with threshold %d: want 1 to %d shares, and no more for "+
			"the threshold", count, threshold, MaxShares)
	}
	coefficients := []*blst.Scalar{key.scalar}
	for range threshold - 1 {
		c, err := randomScalar()
		if err != nil {
			return nil, err
		}
		defer c.Zeroize()
		coefficients = append(coefficients, c)
	}
	shares := make([]Share, count)
	for i := range shares {
		index := byte(i + 1)
		value, err := evaluate(coefficients, index)
		if err != nil {
			return nil, err
		}
		shares[i] = Share{Index: index, Key: newSecretKey(value)}
	}
	return shares, nil
}

// randomScalar draws a scalar that is not zero.
func randomScalar() (*blst.Scalar, error) {
	seed := make([]byte, 64)
	defer clear(seed)
	rand.Read(seed) // never fails: the documentation promises it
	if s := blst.KeyGen(seed); s != nil {
		return s, nil
	}
	return nil, errors.New("cannot draw a coefficient: key generation refused the seed")
}

// evaluate returns the value of a polynomial, which is zero with a probability of 2^-255.
func evaluate(coefficients []*blst.Scalar, index byte) (*blst.Scalar, error) {
	x, ok := scalarOf(index), true
	value := new(blst.Scalar)
	for i := len(coefficients) - 1; i >= 0; i-- {
		value.MulAssign(x) // zero at first
		_, ok = value.AddAssign(coefficients[i])
	}
	if !ok {
		return nil, errors.New("cannot split a key: a share is zero, try again")
	}
	return value, nil
}

func scalarOf(index byte) *blst.Scalar {
	var b [blst.BLST_SCALAR_BYTES]byte
	b[0] = index
	return new(blst.Scalar).FromLEndian(b[:])
}

// Part is the signature of a share.
type Part struct {
	Index     byte
	Signature *Signature
}

// Combine returns the signature of the whole key, 96 bytes, from signatures of as many shares as the threshold. It does
// not verify them: with a wrong one, or with too few, the result is a signature of another key. The error says that an
// index is zero or there twice.
func Combine(parts []Part) ([]byte, error) {
	indices := make([]byte, len(parts))
	for i, p := range parts {
		indices[i] = p.Index
	}
	factors, err := lagrange(indices)
	if err != nil {
		return nil, err
	}
	var sum blst.P2
	for i, p := range parts {
		var point blst.P2
		point.FromAffine(p.Signature.point)
		sum.AddAssign(point.MultAssign(factors[i]).ToAffine())
	}
	return encode(sum.ToAffine()), nil
}

// CombineKeys returns the public key of the whole key from public keys of as many shares as the threshold.
func CombineKeys(indices []byte, keys []*PublicKey) (*PublicKey, error) {
	factors, err := lagrange(indices)
	if err != nil {
		return nil, err
	}
	if len(keys) != len(indices) {
		return nil, fmt.Errorf("cannot combine %d keys with %d indices", len(keys), len(indices))
	}
	var sum blst.P1
	for i, key := range keys {
		var point blst.P1
		point.FromAffine(key.point)
		sum.AddAssign(point.MultAssign(factors[i]).ToAffine())
	}
	return ParsePublicKey(sum.ToAffine().Compress())
}

// lagrange returns the factors with which values of a polynomial at the indices add up to its value at zero.
func lagrange(indices []byte) ([]*blst.Scalar, error) {
	if len(indices) == 0 {
		return nil, errors.New("cannot combine no shares")
	}
	if bytes.IndexByte(indices, 0) >= 0 {
		return nil, errors.New("cannot combine shares: index 0 is the key itself")
	}
	factors := make([]*blst.Scalar, len(indices))
	for i, at := range indices {
		above, below := scalarOf(1), scalarOf(1)
		for j, other := range indices {
			if i == j {
				continue
			}
			difference, distinct := scalarOf(other).SubAssign(scalarOf(at))
			if !distinct {
				return nil, fmt.Errorf("cannot combine shares: index %d is there twice", at)
			}
			above.MulAssign(scalarOf(other))
			below.MulAssign(difference)
		}
		above.MulAssign(below.Inverse())
		factors[i] = above
	}
	return factors, nil
}
