// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package bls

import (
	"crypto/rand"
	"errors"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common/lru"
	"github.com/supranational/blst/bindings/go"
)

// ErrSignature is returned for bytes that are no point of the signature group.
var ErrSignature = errors.New("invalid BLS signature")

// Signature is a decoded signature: a point of the curve. Whether it is in the signature group is checked when it is
// verified, because that costs twice as much as decoding.
type Signature struct{ point *blst.P2Affine }

// ParseSignature decodes a compressed signature of 96 bytes. The error wraps ErrSignature. Infinity is accepted (spec
// wbft 2.1).
func ParseSignature(encoded []byte) (*Signature, error) {
	point, err := decode(encoded)
	if err != nil {
		return nil, err
	}
	return &Signature{point}, nil
}

// Bytes returns the compressed signature, 96 bytes.
func (s *Signature) Bytes() []byte { return s.point.Compress() }

// decode decodes a compressed point of the curve.
func decode(encoded []byte) (*blst.P2Affine, error) {
	if len(encoded) != SignatureLength {
		return nil, fmt.Errorf("%w: %d bytes instead of %d", ErrSignature, len(encoded), SignatureLength)
	}
	if point, ok := own.Get([SignatureLength]byte(encoded)); ok {
		return point, nil
	}
	point := new(blst.P2Affine).Uncompress(encoded)
	if point == nil {
		return nil, fmt.Errorf("%w: not a compressed point of the curve", ErrSignature)
	}
	return point, nil
}

// keptPoints is the number of points that are kept of a kind, of about 400 bytes each. A validator makes seven in a
// block.
const keptPoints = 32

// own keeps the points of own signatures and sums by their encoding. They are half of the points that a validator
// decodes in a block, at the cost of a square root each. No point is changed.
var own = lru.NewCache[[SignatureLength]byte, *blst.P2Affine](keptPoints)

// encode returns the compressed form of a point that was made here, 96 bytes.
func encode(point *blst.P2Affine) []byte {
	encoded := point.Compress()
	own.Add([SignatureLength]byte(encoded), point)
	return encoded
}

// inGroup reports whether a point of the curve is in the signature group. Infinity is accepted (spec wbft 2.1): it
// never verifies under a valid key.
func inGroup(point *blst.P2Affine) bool { return point.SigValidate(false) }

// parseSignature decodes a compressed point of the signature group.
func parseSignature(encoded []byte) (*blst.P2Affine, error) {
	point, err := decode(encoded)
	if err == nil && !inGroup(point) {
		return nil, fmt.Errorf("%w: outside the subgroup", ErrSignature)
	}
	return point, err
}

// hashes keeps the points of hashed messages. All validators seal the same two messages of a block.
var hashes = lru.NewCache[string, *blst.P2Affine](keptPoints)

func hashed(msg []byte) *blst.P2Affine {
	if point, ok := hashes.Get(string(msg)); ok {
		return point
	}
	point := blst.HashToG2(msg, ciphersuite).ToAffine()
	hashes.Add(string(msg), point)
	return point
}

// minusGenerator is the generator of the group of keys, negated.
var minusGenerator = func() *blst.P1Affine {
	var zero blst.P1
	return zero.SubAssign(blst.P1Generator()).ToAffine()
}()

// product is the product of the pairings e(key, hash of message) over signatures of the group. They are good, all or
// in sum, if it is e(generator, sum of the signatures). One loop and one exponentiation for all saves 25 % to 40 % of
// single verifications.
type product struct {
	pairing blst.Pairing
	sum     *blst.P2Affine
	wrong   bool
}

func newProduct() *product { return &product{pairing: blst.PairingCtx(true, ciphersuite)} }

// add adds a signature under a key, or a sum of signatures under a sum of keys. Infinity never verifies.
func (p *product) add(key *blst.P1Affine, msg []byte, sig *blst.P2Affine) {
	if key.Equals(new(blst.P1Affine)) {
		p.wrong = true
		return
	}
	blst.PairingRawAggregate(p.pairing, hashed(msg), key)
	if p.sum == nil {
		p.sum = sig
		return
	}
	var sum blst.P2
	sum.FromAffine(p.sum)
	p.sum = sum.AddAssign(sig).ToAffine()
}

// holds reports whether the signatures are good. It may be called once.
func (p *product) holds() bool {
	if p.wrong || p.sum == nil || p.sum.Equals(new(blst.P2Affine)) {
		return false
	}
	blst.PairingRawAggregate(p.pairing, p.sum, minusGenerator)
	blst.PairingCommit(p.pairing)
	return blst.PairingFinalVerify(p.pairing)
}

func verify(key *blst.P1Affine, msg []byte, sig *blst.P2Affine) bool {
	p := newProduct()
	p.add(key, msg, sig)
	return p.holds()
}

// Verify reports whether sig is the signature of pk over msg.
func Verify(pk *PublicKey, msg, sig []byte) bool {
	point, err := parseSignature(sig)
	return err == nil && pk != nil && verify(pk.point, msg, point)
}

// VerifyAggregate reports whether sig is the sum of one signature of every key over the same msg (spec wbft 2.5). An
// empty list of keys verifies nothing. The keys must be trusted to be possessed by different owners: see spec wbft
// 2.2.
func VerifyAggregate(pks []*PublicKey, msg, sig []byte) bool {
	point, err := parseSignature(sig)
	if err != nil {
		return false
	}
	key := sumOf(pks)
	return key != nil && verify(key, msg, point)
}

// sumOf returns the sum of keys, or nil when there is none or one of them is missing.
func sumOf(keys []*PublicKey) *blst.P1Affine {
	if len(keys) == 0 {
		return nil
	}
	var sum blst.P1
	for _, key := range keys {
		if key == nil {
			return nil
		}
		sum.AddAssign(key.point)
	}
	return sum.ToAffine()
}

// Sum returns the compressed sum of one or more signatures, 96 bytes, in any order (spec wbft 2.5).
func Sum(sigs []*Signature) []byte { return encode(sum(sigs)) }

func sum(sigs []*Signature) *blst.P2Affine {
	var sum blst.P2
	for _, sig := range sigs {
		sum.AddAssign(sig.point)
	}
	return sum.ToAffine()
}

// Singles are signatures over one message: Signatures[i] is claimed to be that of Keys[i].
type Singles struct {
	Keys       []*PublicKey
	Message    []byte
	Signatures []*Signature
}

// SumsValid reports whether the signatures of each lot are good in sum, as an aggregate (spec wbft 2.5). Signatures of
// a lot may offset each other; those of two lots do not, but with a probability of 2^-63. It costs a pairing for each
// message and an addition for each signature. No lots are valid.
func SumsValid(lots ...Singles) bool {
	entries := make([]entry, len(lots))
	for i, lot := range lots {
		if len(lot.Keys) != len(lot.Signatures) || slices.Contains(lot.Signatures, nil) {
			return false
		}
		key := sumOf(lot.Keys)
		if key == nil {
			return false
		}
		if entries[i] = (entry{position: i, key: key, sig: sum(lot.Signatures)}); !inGroup(entries[i].sig) {
			return false
		}
	}
	weigh(entries)
	p := newProduct()
	for i, lot := range lots {
		key, sig := combine(entries[i : i+1])
		p.add(key, lot.Message, sig)
	}
	return len(lots) == 0 || p.holds()
}

// AllValid reports whether every signature is good by itself. Offsetting signatures do not pass, but with a
// probability of 2^-63: all but one have random factors of 64 bits. It costs a pairing and the group check of each
// signature. No signatures are valid.
func AllValid(lot Singles) bool {
	entries, bad := entriesOf(lot.Keys, lot.Signatures)
	if len(bad) > 0 {
		return false
	}
	if len(entries) == 0 {
		return true
	}
	key, sig := combine(entries)
	return verify(key, lot.Message, sig)
}

// FindBad returns the positions, in ascending order, of the signatures that are not valid on their own (see AllValid).
// A missing key or signature counts as bad. Bisection finds them: it takes one pairing if all are good, about
// 2·k·log2(n) for k bad ones, and never more than 5/4·n + 1.
func FindBad(lot Singles) []int {
	entries, bad := entriesOf(lot.Keys, lot.Signatures)
	if len(entries) == 0 {
		return bad
	}
	if key, sig := combine(entries); !verify(key, lot.Message, sig) {
		s := &search{msg: lot.Message, left: len(entries) / 4, weighted: make([]weightedEntry, len(entries))}
		for i, e := range entries {
			s.weighted[i] = e.weight()
		}
		bad = append(bad, s.bisect(s.weighted)...)
	}
	slices.Sort(bad)
	return bad
}

// factorBits is the length of the random factors of signatures that are verified together.
const factorBits = 64

type entry struct {
	position int
	key      *blst.P1Affine
	sig      *blst.P2Affine
	factor   [blst.BLST_SCALAR_BYTES]byte // little-endian, below 2^factorBits, not zero
}

// entriesOf returns the signatures that can be verified, with factors, and the positions of the others: missing ones,
// those without a key, and those outside the group.
func entriesOf(pks []*PublicKey, sigs []*Signature) (entries []entry, bad []int) {
	n := max(len(pks), len(sigs))
	entries = make([]entry, 0, n)
	for i := range n {
		if i >= len(pks) || i >= len(sigs) || pks[i] == nil || sigs[i] == nil || !inGroup(sigs[i].point) {
			bad = append(bad, i)
			continue
		}
		entries = append(entries, entry{position: i, key: pks[i].point, sig: sigs[i].point})
	}
	weigh(entries)
	return entries, bad
}

// weigh gives each entry a random factor, and the first one 1.
func weigh(entries []entry) {
	factors := make([]byte, len(entries)*factorBits/8)
	rand.Read(factors) // never fails: the documentation promises it
	for i := range entries {
		if i > 0 {
			copy(entries[i].factor[:factorBits/8], factors[i*factorBits/8:])
		}
		entries[i].factor[0] |= 1
	}
}

// fewEntries is the number of entries up to which multiplying each by its factor is faster than all at once.
const fewEntries = 2

// Sums over the points of a validator set are too small to share: with threads the library multiplies each point by
// itself, which costs two to four times the work.
func init() { blst.SetMaxProcs(1) }

// combine returns the weighted sum of keys and that of signatures. There is at least one.
func combine(entries []entry) (key *blst.P1Affine, sig *blst.P2Affine) {
	if len(entries) > fewEntries {
		var (
			keys    = make([]*blst.P1Affine, len(entries))
			sigs    = make([]*blst.P2Affine, len(entries))
			factors = make([]byte, 0, len(entries)*factorBits/8)
		)
		for i := range entries {
			keys[i], sigs[i] = entries[i].key, entries[i].sig
			factors = append(factors, entries[i].factor[:factorBits/8]...)
		}
		return blst.P1AffinesMult(
			keys,
			factors,
			factorBits,
		).ToAffine(), blst.P2AffinesMult(sigs, factors, factorBits).ToAffine()
	}
	if len(entries) == 1 && entries[0].unweighted() {
		return entries[0].key, entries[0].sig
	}
	var keys blst.P1
	var sigs blst.P2
	for i := range entries {
		w := entries[i].weight()
		keys.AddAssign(&w.key)
		sigs.AddAssign(&w.sig)
	}
	return keys.ToAffine(), sigs.ToAffine()
}

// weight returns the key and the signature multiplied by their factor.
func (e *entry) weight() weightedEntry {
	w := weightedEntry{position: e.position}
	w.key.FromAffine(e.key)
	w.sig.FromAffine(e.sig)
	if !e.unweighted() {
		factor := new(blst.Scalar).FromLEndian(e.factor[:])
		w.key.MultAssign(factor, factorBits)
		w.sig.MultAssign(factor, factorBits)
	}
	return w
}

func (e *entry) unweighted() bool { return e.factor == [blst.BLST_SCALAR_BYTES]byte{1} }

// weightedEntry is a key and a signature multiplied by the factor of the entry.
type weightedEntry struct {
	position int
	key      blst.P1
	sig      blst.P2
}

// search finds bad signatures. Halving pays while most halves are good. After `left` verifications the rest is
// verified one by one.
type search struct {
	msg      []byte
	left     int
	weighted []weightedEntry
}

// bisect returns the bad positions among entries, whose sum is known not to verify.
func (s *search) bisect(entries []weightedEntry) []int {
	if len(entries) == 1 {
		return []int{entries[0].position}
	}
	if s.left <= 0 {
		var bad []int
		for i := range entries {
			if !s.verify(entries[i : i+1]) {
				bad = append(bad, entries[i].position)
			}
		}
		return bad
	}
	left, right := entries[:len(entries)/2], entries[len(entries)/2:]
	if s.verify(left) {
		return s.bisect(right) // the whole fails, so the right half must
	}
	bad := s.bisect(left)
	if !s.verify(right) {
		bad = append(bad, s.bisect(right)...)
	}
	return bad
}

func (s *search) verify(entries []weightedEntry) bool {
	s.left--
	var key blst.P1
	var sig blst.P2
	for i := range entries {
		key.AddAssign(&entries[i].key)
		sig.AddAssign(&entries[i].sig)
	}
	return verify(key.ToAffine(), s.msg, sig.ToAffine())
}
