// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package validators

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/internal/scheme"
)

// Reasons why an aggregated seal is refused (spec wbft 2.5, 7.1).
var (
	ErrEmptySeal = errors.New("seal is absent or has no signature")
	ErrQuorum    = errors.New("seal has too few sealers")
	ErrSealer    = errors.New("sealer outside the validator set")
	ErrSignature = errors.New("seal signature does not verify")
	ErrTwice     = errors.New("validator in both of two seals")
)

// EncodeSealers returns the bitmap of indices: bit i mod 8 of byte i div 8, least significant first, as short as the
// highest index allows (spec wbft 2.5). The order of indices does not matter; negative ones and those of MaxSize or
// more are left out.
func EncodeSealers(indices []int) []byte {
	bitmap := []byte{}
	for _, i := range indices {
		if i < 0 || i >= MaxSize {
			continue
		}
		if short := i/8 + 1 - len(bitmap); short > 0 {
			bitmap = append(bitmap, make([]byte, short)...)
		}
		bitmap[i/8] |= 1 << (i % 8)
	}
	return bitmap
}

// DecodeSealers returns the indices of the set bits of bitmap in ascending order. Zero bytes at the end are fine
// (spec wbft 2.5); an index of n or more is ErrSealer.
func DecodeSealers(bitmap []byte, n int) ([]int, error) {
	bitmap = bytes.TrimRight(bitmap, "\x00")
	if len(bitmap) > (n+7)/8 {
		return nil, fmt.Errorf("%w: bitmap of %d bytes for %d validators", ErrSealer, len(bitmap), n)
	}
	indices := make([]int, 0, min(n, 8*len(bitmap)))
	for at, b := range bitmap {
		for ; b != 0; b &= b - 1 {
			i := 8*at + bits.TrailingZeros8(b)
			if i >= n {
				return nil, fmt.Errorf("%w: index %d of %d validators", ErrSealer, i, n)
			}
			indices = append(indices, i)
		}
	}
	return indices, nil
}

// Sealed reports for each validator of s whether one of the seals is marked as its own. Absent seals may be nil. The
// error is ErrSealer.
func (s *Set) Sealed(seals ...*types.WBFTSeal) ([]bool, error) {
	sealed := make([]bool, s.Len())
	for _, seal := range seals {
		if seal == nil {
			continue
		}
		indices, err := DecodeSealers(seal.Sealers, s.Len())
		if err != nil {
			return nil, err
		}
		for _, i := range indices {
			sealed[i] = true
		}
	}
	return sealed, nil
}

// VerifySeal checks an aggregated seal of at least a quorum of s over digest (spec wbft 2.5). The error is or wraps
// one of ErrEmptySeal, ErrQuorum, ErrSealer and ErrSignature.
func (s *Set) VerifySeal(seal *types.WBFTSeal, digest [32]byte) error {
	keys, err := s.sealers(seal)
	if err != nil {
		return err
	}
	if !scheme.VerifyAggregate(keys, digest[:], seal.Signature) {
		return ErrSignature
	}
	return nil
}

// CheckSealers is VerifySeal without the signature: it checks that the seal has the form of one and names a quorum of
// s.
func (s *Set) CheckSealers(seal *types.WBFTSeal) error {
	if _, err := s.sealers(seal); err != nil {
		return err
	}
	if len(seal.Signature) != bls.SignatureLength {
		return fmt.Errorf("%w: it has %d bytes", ErrSignature, len(seal.Signature))
	}
	return nil
}

// sealers returns the keys of the sealers in a seal if they are a quorum.
func (s *Set) sealers(seal *types.WBFTSeal) ([]*bls.PublicKey, error) {
	if seal == nil || len(seal.Signature) == 0 {
		return nil, ErrEmptySeal
	}
	indices, err := DecodeSealers(seal.Sealers, s.Len())
	if err != nil {
		return nil, err
	}
	if len(indices) < s.Quorum() {
		return nil, fmt.Errorf("%w: %d of %d, need %d", ErrQuorum, len(indices), s.Len(), s.Quorum())
	}
	keys := make([]*bls.PublicKey, len(indices))
	for at, i := range indices {
		keys[at] = s.list[i].Key
	}
	return keys, nil
}

// SealCheck is a seal to verify: a quorum of Set is claimed to have made Seal over Digest.
type SealCheck struct {
	Set    *Set
	Seal   *types.WBFTSeal
	Digest [32]byte

	// Known is another seal of a quorum of Set over Digest that was verified, nil for none. It makes VerifySeals cheaper.
	Known *types.WBFTSeal
}

// VerifySeals reports whether all seals are good. It costs less than VerifySeal for each, which then finds the bad
// ones.
func VerifySeals(checks []SealCheck) bool {
	batch := make([]bls.Signed, len(checks))
	for i, c := range checks {
		keys, err := c.Set.sealers(c.Seal)
		if err != nil {
			return false
		}
		batch[i] = bls.Signed{Keys: keys, Message: c.Digest[:], Signature: c.Seal.Signature}
		if c.Known == nil {
			continue
		}
		if keys, err = c.Set.sealers(c.Known); err != nil {
			return false
		}
		batch[i].Known = &bls.Aggregate{Keys: keys, Signature: c.Known.Signature}
	}
	return scheme.VerifyBatch(batch)
}

// Aggregate makes one seal of single seals over the same digest, by validator index (spec wbft 2.5). The seals are
// summed but not verified. It fails when there are none, and when an index is outside the set.
func (s *Set) Aggregate(seals map[int]scheme.Signature) (*types.WBFTSeal, error) {
	if len(seals) == 0 {
		return nil, errors.New("no seals to aggregate")
	}
	sealers := slices.Sorted(maps.Keys(seals)) // for errors that do not depend on map order
	parts := make([]scheme.Signature, len(sealers))
	for at, i := range sealers {
		if i < 0 || i >= s.Len() {
			return nil, fmt.Errorf("%w: index %d of %d validators", ErrSealer, i, s.Len())
		}
		parts[at] = seals[i]
	}
	return &types.WBFTSeal{Sealers: EncodeSealers(sealers), Signature: scheme.Sum(parts)}, nil
}

// Join makes one seal of two aggregated ones over the same digest (spec wbft 2.5). It is good if both are. A nil seal
// adds nothing, and a common validator is an error. Nothing is verified but that both are signatures.
func (s *Set) Join(a, b *types.WBFTSeal) (*types.WBFTSeal, error) {
	var sealers []int
	var parts []scheme.Signature
	for _, seal := range []*types.WBFTSeal{a, b} {
		if seal == nil {
			continue
		}
		indices, err := DecodeSealers(seal.Sealers, s.Len())
		if err != nil {
			return nil, err
		}
		part, err := scheme.ParseSignature(seal.Signature)
		if err != nil {
			return nil, err
		}
		for _, i := range indices {
			if slices.Contains(sealers, i) {
				return nil, fmt.Errorf("%w: index %d", ErrTwice, i)
			}
		}
		sealers, parts = append(sealers, indices...), append(parts, part)
	}
	if len(parts) == 0 {
		return nil, ErrEmptySeal
	}
	return &types.WBFTSeal{Sealers: EncodeSealers(sealers), Signature: scheme.Sum(parts)}, nil
}
