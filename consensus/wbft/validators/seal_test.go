// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package validators

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"pgregory.net/rapid"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/internal/scheme"
	"gwon/internal/expect"
	"gwon/internal/must"
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
		expect.That(t, slices.Equal(got, c.want) && (err == nil) == c.ok && (c.ok || errors.Is(err, ErrSealer)),
			"%x of %d: %v, %v, want %v", c.bitmap, c.n, got, err, c.want)
	}
	got := EncodeSealers([]int{-1, MaxSize, 1 << 62})
	expect.That(t, len(got) == 0, "impossible indices give a bitmap of %d bytes", len(got))
}

func TestVerifySeal(t *testing.T) {
	s, seals := keyed(t, 4)
	aggregate := func(indices ...int) *types.WBFTSeal {
		return must.Get(s.Aggregate(pick(seals, indices...)))(t)
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
		"cut": {
			altered(aggregate(1, 2, 3), func(s *types.WBFTSeal) { s.Signature = s.Signature[:95] }), ErrSignature,
		},
	} {
		t.Run(name, func(t *testing.T) {
			expect.Error(t, s.VerifySeal(c.seal, digest), c.want, "%s", name)
		})
	}
	expect.Error(t, s.VerifySeal(aggregate(0, 1, 2, 3), [32]byte{9}), ErrSignature, "other digest")
	expect.Error(t, plain(4).VerifySeal(aggregate(0, 1, 2, 3), digest), ErrSignature, "set without keys")
}

// Seals split over two aggregates and joined are the aggregate of all. Aggregates with a common validator cannot be
// joined.
// spec: wbft 2.5
func TestJoin(t *testing.T) {
	s, seals := keyed(t, 7)
	aggregate := func(t *rapid.T, indices []int) *types.WBFTSeal {
		if len(indices) == 0 {
			return nil
		}
		return must.Get(s.Aggregate(pick(seals, indices...)))(t)
	}
	clone := func(seal *types.WBFTSeal) *types.WBFTSeal {
		if seal == nil {
			return nil
		}
		return &types.WBFTSeal{Sealers: bytes.Clone(seal.Sealers), Signature: bytes.Clone(seal.Signature)}
	}
	rapid.Check(t, func(t *rapid.T) {
		subset := rapid.SliceOfNDistinct(rapid.IntRange(0, 6), 0, 4, rapid.ID)
		first, second := subset.Draw(t, "first"), subset.Draw(t, "second")
		a, b := aggregate(t, first), aggregate(t, second)
		beforeA, beforeB := clone(a), clone(b)
		got, err := s.Join(a, b)
		must.That(t, reflect.DeepEqual(a, beforeA) && reflect.DeepEqual(b, beforeB), "joining changed its arguments")
		common := slices.ContainsFunc(first, func(i int) bool { return slices.Contains(second, i) })
		switch {
		case common:
			must.That(t, errors.Is(err, ErrTwice), "%v and %v: %v, want %v", first, second, err, ErrTwice)
		case len(first)+len(second) == 0:
			must.That(t, errors.Is(err, ErrEmptySeal), "nothing and nothing: %v, want %v", err, ErrEmptySeal)
		case err != nil:
			t.Fatal(err)
		default:
			want := aggregate(t, slices.Concat(first, second))
			must.That(t, reflect.DeepEqual(got, want), "joined %x, want %x", got, want)
		}
	})
}

func TestJoinErrors(t *testing.T) {
	s, seals := keyed(t, 4)
	good := must.Get(s.Aggregate(pick(seals, 0, 1, 2)))(t)
	for name, c := range map[string]struct {
		seal *types.WBFTSeal
		want error
	}{
		"bitmap beyond": {&types.WBFTSeal{Sealers: []byte{0x18}, Signature: good.Signature}, ErrSealer},
		"junk":          {&types.WBFTSeal{Sealers: []byte{8}, Signature: []byte{1}}, bls.ErrSignature},
		"no signature":  {&types.WBFTSeal{Sealers: []byte{8}}, bls.ErrSignature},
	} {
		t.Run(name, func(t *testing.T) {
			expect.Error(t, expect.Err(s.Join(good, c.seal)), c.want, "%s second", name)
			expect.Error(t, expect.Err(s.Join(c.seal, good)), c.want, "%s first", name)
		})
	}
}

func TestAggregateErrors(t *testing.T) {
	s, seals := keyed(t, 4)
	for name, index := range map[string]int{"beyond": 4, "negative": -1} {
		t.Run(name, func(t *testing.T) {
			expect.Error(t, expect.Err(s.Aggregate(map[int]scheme.Signature{index: pick(seals, 3)[3]})), ErrSealer,
				"index %s", name)
		})
	}
	expect.Refused(t, expect.Err(s.Aggregate(nil)), "an aggregate of nothing")
}
