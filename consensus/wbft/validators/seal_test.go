// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package validators

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"pgregory.net/rapid"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/internal/scheme"
)

var digest = [32]byte{1, 2, 3}

// keyed is a set of n validators with keys, and the seal of each over digest.
func keyed(t testing.TB, n int) (*Set, [][]byte) {
	list, seals := make([]Validator, n), make([][]byte, n)
	for i := range list {
		sk := secret(t, i)
		list[i] = Validator{Address: common.Address{byte(i + 1)}, Key: sk.PublicKey()}
		seals[i] = sk.Sign(digest[:])
	}
	return NewSet(list), seals
}

func pick(seals [][]byte, indices ...int) map[int]scheme.Signature {
	m := make(map[int]scheme.Signature)
	for _, i := range indices {
		s, err := scheme.ParseSignature(seals[i])
		if err != nil {
			panic(err)
		}
		m[i] = s
	}
	return m
}

func TestDecodeSealers(t *testing.T) {
	for _, c := range []struct {
		bitmap []byte
		n      int
		want   []int
		ok     bool
	}{
		{nil, 0, nil, true},
		{[]byte{0, 0}, 0, nil, true},
		{[]byte{1}, 0, nil, false},
		{[]byte{0x0f}, 4, []int{0, 1, 2, 3}, true},
		{[]byte{0x1f}, 4, nil, false},
		{[]byte{0x0f, 0, 0, 0}, 4, []int{0, 1, 2, 3}, true}, // zero bytes at the end are accepted
		{[]byte{0x0f, 0, 1}, 4, nil, false},
		{[]byte{0x80, 0x01}, 9, []int{7, 8}, true},
		{[]byte{0x80, 0x02}, 9, nil, false},
		{bytes.Repeat([]byte{0xff}, 1000), 9, nil, false},
	} {
		got, err := DecodeSealers(c.bitmap, c.n)
		if !slices.Equal(got, c.want) || (err == nil) != c.ok || !c.ok && !errors.Is(err, ErrSealer) {
			t.Errorf("%x of %d: %v, %v, want %v", c.bitmap, c.n, got, err, c.want)
		}
	}
	if got := EncodeSealers([]int{-1, MaxSize, 1 << 62}); len(got) != 0 {
		t.Errorf("impossible indices give a bitmap of %d bytes", len(got))
	}
}

func TestSealersRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 300).Draw(t, "n")
		indices := rapid.SliceOfDistinct(rapid.IntRange(0, n-1), rapid.ID).Draw(t, "indices")
		bitmap := EncodeSealers(indices)
		if len(bitmap) > 0 && bitmap[len(bitmap)-1] == 0 {
			t.Fatalf("bitmap %x is longer than needed", bitmap)
		}
		got, err := DecodeSealers(bitmap, n)
		slices.Sort(indices)
		if err != nil || !slices.Equal(got, indices) {
			t.Fatalf("%v, %v, want %v", got, err, indices)
		}
	})
}

func TestVerifySeal(t *testing.T) {
	s, seals := keyed(t, 4)
	aggregate := func(indices ...int) *types.WBFTSeal {
		seal, err := s.Aggregate(pick(seals, indices...))
		if err != nil {
			t.Fatal(err)
		}
		return seal
	}
	altered := func(seal *types.WBFTSeal, f func(*types.WBFTSeal)) *types.WBFTSeal { f(seal); return seal }
	for name, c := range map[string]struct {
		seal *types.WBFTSeal
		want error
	}{
		"all":           {aggregate(0, 1, 2, 3), nil},
		"quorum":        {aggregate(1, 2, 3), nil},
		"trailing zero": {altered(aggregate(1, 2, 3), func(s *types.WBFTSeal) { s.Sealers = append(s.Sealers, 0, 0) }), nil},
		"nil":           {nil, ErrEmptySeal},
		"empty object":  {new(types.WBFTSeal), ErrEmptySeal},
		"no signature":  {altered(aggregate(1, 2, 3), func(s *types.WBFTSeal) { s.Signature = nil }), ErrEmptySeal},
		"no sealers":    {altered(aggregate(1, 2, 3), func(s *types.WBFTSeal) { s.Sealers = nil }), ErrQuorum},
		"below quorum":  {aggregate(1, 2), ErrQuorum},
		"fifth sealer":  {altered(aggregate(1, 2, 3), func(s *types.WBFTSeal) { s.Sealers[0] |= 0x10 }), ErrSealer},
		"sealer added":  {altered(aggregate(1, 2, 3), func(s *types.WBFTSeal) { s.Sealers[0] |= 0x01 }), ErrSignature},
		"other sealers": {altered(aggregate(1, 2, 3), func(s *types.WBFTSeal) { s.Sealers[0] = 0x07 }), ErrSignature},
		"cut":           {altered(aggregate(1, 2, 3), func(s *types.WBFTSeal) { s.Signature = s.Signature[:95] }), ErrSignature},
	} {
		if err := s.VerifySeal(c.seal, digest); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if err := s.VerifySeal(aggregate(0, 1, 2, 3), [32]byte{9}); !errors.Is(err, ErrSignature) {
		t.Errorf("other digest: %v", err)
	}
	if err := plain(4).VerifySeal(aggregate(0, 1, 2, 3), digest); !errors.Is(err, ErrSignature) {
		t.Errorf("set without keys: %v", err)
	}
}

// However the seals are split between an aggregate and extra ones, overlapping or not, the merged seal is the
// aggregate of all of them (spec wbft 2.5).
func TestMergeIsUnion(t *testing.T) {
	s, seals := keyed(t, 7)
	rapid.Check(t, func(t *rapid.T) {
		subset := rapid.SliceOfNDistinct(rapid.IntRange(0, 6), 1, 7, rapid.ID)
		first, second := subset.Draw(t, "first"), subset.Draw(t, "second")
		seal, err := s.Aggregate(pick(seals, first...))
		if err != nil {
			t.Fatal(err)
		}
		before := types.WBFTSeal{Sealers: bytes.Clone(seal.Sealers), Signature: bytes.Clone(seal.Signature)}
		extra := pick(seals, second...)
		got, err := s.Merge(seal, extra)
		if err != nil {
			t.Fatal(err)
		}
		want, err := s.Aggregate(pick(seals, append(first, second...)...))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Sealers, want.Sealers) || !bytes.Equal(got.Signature, want.Signature) {
			t.Fatalf("merged %x, want %x", got, want)
		}
		if !bytes.Equal(seal.Sealers, before.Sealers) || !bytes.Equal(seal.Signature, before.Signature) {
			t.Fatal("merging changed its argument")
		}
		for _, i := range second {
			if extra[i] == nil {
				t.Fatal("merging changed the map")
			}
		}
	})
}

func TestMergeErrors(t *testing.T) {
	s, seals := keyed(t, 4)
	seal, err := s.Aggregate(pick(seals, 0, 1, 2))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		seal  *types.WBFTSeal
		extra map[int]scheme.Signature
		want  error
	}{
		"index beyond":      {seal, map[int]scheme.Signature{4: pick(seals, 3)[3]}, ErrSealer},
		"negative index":    {seal, map[int]scheme.Signature{-1: pick(seals, 3)[3]}, ErrSealer},
		"bitmap beyond":     {&types.WBFTSeal{Sealers: []byte{0x1f}, Signature: seal.Signature}, pick(seals, 3), ErrSealer},
		"aggregate is junk": {&types.WBFTSeal{Sealers: []byte{7}, Signature: []byte{1}}, pick(seals, 3), bls.ErrSignature},
	} {
		if _, err := s.Merge(c.seal, c.extra); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if _, err := s.Merge(nil, nil); err == nil {
		t.Error("merged nothing with nothing")
	}
	if got, err := s.Merge(nil, pick(seals, 0, 1, 2)); err != nil || !bytes.Equal(got.Signature, seal.Signature) {
		t.Errorf("merging into an absent seal: %v", err)
	}
}

func BenchmarkVerifySeal(b *testing.B) {
	s, seals := keyed(b, 21)
	all := make([]int, len(seals))
	for i := range all {
		all[i] = i
	}
	seal, err := s.Aggregate(pick(seals, all...))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := s.VerifySeal(seal, digest); err != nil {
			b.Fatal(err)
		}
	}
}
