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

// VerifyBatch reports whether VerifyAggregate holds for every one of them. Each takes part with a random factor r of
// 64 bits, but the first with 1, so that wrong ones make up for each other with a probability of 2^-63 at most (small
// exponents test: Bellare, Garay and Rabin 1998; for pairings Camenisch, Hohenberger and Pedersen 2007). All with the
// same keys share a pairing; g is the generator:
//
//	product over keys of e(sum of Keys, sum of r * hash of Message) = e(g, sum of r * Signature)
//
// With a known aggregate the message is not hashed, which would be most of the work. Known.Signature is k times the
// hash of Message, and the sum of Known.Keys is k times g, so that k cancels out. The aggregate then stands for these
// factors instead:
//
//	e(sum of Keys, r * Known.Signature) = e(sum of Known.Keys, r * Signature)
//
// When it reports false, VerifyAggregate tells which ones are wrong. Nothing to verify is true.
func VerifyBatch(batch []Signed) bool {
	if len(batch) == 0 {
		return true
	}
	factors := make([]byte, factorBytes*len(batch))
	rand.Read(factors[factorBytes:]) // never fails: the documentation promises it
	quotient := make(pairings)
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
			quotient.multiply(*key, hashed(s.Message), factor)
			quotient.divide(generator, signature, factor)
			continue
		}
		knownKey := usableSum(s.Known.Keys)
		if knownKey == nil {
			return false
		}
		known, err := decode(s.Known.Signature) // of the group: it was found good
		if err != nil || isInfinite(known) {
			return false
		}
		quotient.multiply(*key, known, factor)
		quotient.divide(*knownKey, signature, factor)
	}
	return quotient.isOne()
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

// pairings is a quotient of products of pairings. Those with the same key are one: e(key, sum of points - sum of
// divisor's points).
type pairings map[blst.P1Affine]*struct{ points, divisor weightedSum }

// multiply multiplies by e(key, factor * point).
func (p pairings) multiply(key blst.P1Affine, point *blst.P2Affine, factor []byte) {
	p.of(key).points.add(point, factor)
}

// divide divides by e(key, factor * point).
func (p pairings) divide(key blst.P1Affine, point *blst.P2Affine, factor []byte) {
	p.of(key).divisor.add(point, factor)
}

func (p pairings) of(key blst.P1Affine) *struct{ points, divisor weightedSum } {
	if p[key] == nil {
		p[key] = new(struct{ points, divisor weightedSum })
	}
	return p[key]
}

func (p pairings) isOne() bool {
	ctx, empty := blst.PairingCtx(true, ciphersuite), true
	for key, sums := range p {
		sum := sums.points.value()
		if point := sum.SubAssign(sums.divisor.value()).ToAffine(); !isInfinite(point) {
			blst.PairingRawAggregate(ctx, point, &key)
			empty = false
		}
	}
	if empty { // blst takes no pairing at all for a failure
		return true
	}
	blst.PairingCommit(ctx)
	return blst.PairingFinalVerify(ctx)
}

// weightedSum is a sum of points, each multiplied by its factor.
type weightedSum struct {
	points  []*blst.P2Affine
	factors []byte
}

func (s *weightedSum) add(point *blst.P2Affine, factor []byte) {
	s.points, s.factors = append(s.points, point), append(s.factors, factor...)
}

func (s *weightedSum) value() *blst.P2 {
	if len(s.points) > fewEntries {
		return blst.P2AffinesMult(s.points, s.factors, factorBits)
	}
	sum := new(blst.P2)
	for i, point := range s.points {
		var padded [blst.BLST_SCALAR_BYTES]byte
		copy(padded[:], s.factors[factorBytes*i:factorBytes*(i+1)])
		if padded == [blst.BLST_SCALAR_BYTES]byte{1} {
			sum.AddAssign(point)
			continue
		}
		var weighted blst.P2
		weighted.FromAffine(point)
		sum.AddAssign(weighted.MultAssign(new(blst.Scalar).FromLEndian(padded[:]), factorBits))
	}
	return sum
}
