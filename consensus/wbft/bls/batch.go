// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package bls

import (
	"crypto/rand"

	"github.com/supranational/blst/bindings/go"
)

// Aggregate is the sum of one signature of every key over a message.
type Aggregate struct {
	Keys      []*PublicKey
	Signature []byte
}

// Signed is an aggregate to verify: Signature is said to be the sum of one signature of every key over Message.
type Signed struct {
	Keys      []*PublicKey
	Message   []byte
	Signature []byte

	// Known is another aggregate over Message that was found good before, by whomever; nil for none.
	Known *Aggregate
}

// VerifyBatch reports whether VerifyAggregate holds for every one of them. Each takes part with a random factor r of 64 bits, so that wrong
// ones make up for each other with a probability of 2^-63 at most (small exponents test: Bellare, Garay and Rabin 1998; for pairings
// Camenisch, Hohenberger and Pedersen 2007). Aggregates under the same keys share a pairing, with g for the generator and K for sums of keys:
//
//	e(g, sum of r * Signature) = product over all K of e(K, sum of r * hash of Message)
//
// With a known aggregate the message is not hashed, which would be most of the work. Known.Signature is k times the hash of
// Message, and the sum of Known.Keys is k times g, so that k cancels out of
//
//	e(sum of Known.Keys, Signature) = e(sum of Keys, Known.Signature)
//
// When it reports false, VerifyAggregate tells which ones are wrong. Nothing to verify is true.
func VerifyBatch(batch []Signed) bool {
	if len(batch) == 0 {
		return true
	}
	factors := make([]byte, factorBytes*len(batch))
	rand.Read(factors) // never fails: the documentation promises it
	left, right := make(pairings), make(pairings)
	for i := range batch {
		s, factor := &batch[i], factors[factorBytes*i:factorBytes*(i+1)]
		factor[0] |= 1 // not zero
		signature, err := parseSignature(s.Signature)
		if err != nil || isInfinite(signature) {
			return false
		}
		key := usableSum(s.Keys)
		if key == nil {
			return false
		}
		if s.Known == nil {
			left.add(generator, signature, factor)
			right.add(*key, hashed(s.Message), factor)
			continue
		}
		knownKey := usableSum(s.Known.Keys)
		if knownKey == nil {
			return false
		}
		known, err := decode(s.Known.Signature)
		if err != nil || isInfinite(known) {
			return false
		}
		left.add(*knownKey, signature, factor)
		right.add(*key, known, factor)
	}
	return blst.Fp12FinalVerify(left.product(), right.product())
}

// usableSum returns the sum of keys, or nil if there is none that a signature verifies under.
func usableSum(keys []*PublicKey) *blst.P1Affine {
	sum := sumOf(keys)
	if sum == nil || sum.Equals(new(blst.P1Affine)) {
		return nil
	}
	return sum
}

func isInfinite(point *blst.P2Affine) bool { return point.Equals(new(blst.P2Affine)) }

// generator is the generator of the group of keys.
var generator = *blst.P1Generator().ToAffine()

// factorBytes is the length of a random factor.
const factorBytes = factorBits / 8

// pairings is a product of pairings, one for each key, of the key and a weighted sum of points.
type pairings map[blst.P1Affine]*weightedSum

// weightedSum is the sum of points, each multiplied by its factor.
type weightedSum struct {
	points  []*blst.P2Affine
	factors []byte
}

// add multiplies the product by e(key, factor * point).
func (p pairings) add(key blst.P1Affine, point *blst.P2Affine, factor []byte) {
	sum := p[key]
	if sum == nil {
		sum = new(weightedSum)
		p[key] = sum
	}
	sum.points, sum.factors = append(sum.points, point), append(sum.factors, factor...)
}

// product returns the product before the final exponentiation.
func (p pairings) product() *blst.Fp12 {
	ctx := blst.PairingCtx(true, ciphersuite)
	for key, sum := range p {
		if len(sum.points) == 1 {
			var weighted blst.P1
			weighted.FromAffine(&key)
			blst.PairingRawAggregate(ctx, sum.points[0], weighted.MultAssign(scalarOf(sum.factors), factorBits).ToAffine())
			continue
		}
		if point := sum.point(); !isInfinite(point) {
			blst.PairingRawAggregate(ctx, point, &key)
		}
	}
	return blst.PairingAsFp12(ctx)
}

func (s *weightedSum) point() *blst.P2Affine {
	if len(s.points) > fewEntries {
		return blst.P2AffinesMult(s.points, s.factors, factorBits).ToAffine()
	}
	var sum blst.P2
	for i, point := range s.points {
		var weighted blst.P2
		weighted.FromAffine(point)
		sum.AddAssign(weighted.MultAssign(scalarOf(s.factors[factorBytes*i:factorBytes*(i+1)]), factorBits))
	}
	return sum.ToAffine()
}

func scalarOf(factor []byte) *blst.Scalar {
	var padded [blst.BLST_SCALAR_BYTES]byte
	copy(padded[:], factor)
	return new(blst.Scalar).FromLEndian(padded[:])
}
