// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package validators

import (
	"bytes"
	"errors"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"pgregory.net/rapid"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// Sets differ by their order. Their members differ by a key, or by one validator more or twice.
// spec: wbft 3.5
func TestSameMembers(t *testing.T) {
	list := make([]Validator, 4)
	for i := range list {
		list[i] = Validator{Address: common.Address{byte(i + 1)}, Key: secret(t, i).PublicKey()}
	}
	set, turned := NewSet(list[:3]), NewSet([]Validator{list[2], list[0], list[1]})
	expect.That(t, set.SameMembers(turned) && !set.Equal(turned) && set.SameMembers(set),
		"another order means other members")
	exchanged := []Validator{
		{Address: list[0].Address, Key: list[1].Key},
		{Address: list[1].Address, Key: list[0].Key},
		list[2],
	}
	for name, other := range map[string][]Validator{
		"one less": list[:2], "one more": list, "another one": list[1:], "keys exchanged": exchanged,
		"one twice": {list[0], list[1], list[1]},
	} {
		t.Run(name, func(t *testing.T) {
			expect.That(t, !set.SameMembers(NewSet(other)) && !NewSet(other).SameMembers(set), "%s: the same", name)
		})
	}
}

// Unproven epoch info gives a set another order, and nothing else: no member, no key, and no decoding of keys.
// spec: wbft 3.5
func TestInOrderOf(t *testing.T) {
	list := make([]Validator, 4)
	for i := range list {
		list[i] = Validator{Address: common.Address{byte(i + 1)}, Key: secret(t, i).PublicKey()}
	}
	set := NewSet(list[:3])
	info := func(members ...Validator) *types.EpochInfo {
		info := new(types.EpochInfo)
		for i, v := range members {
			info.Candidates = append(info.Candidates, types.EpochCandidate{Address: v.Address, Diligence: uint64(i)})
			info.Validators = append(info.Validators, uint32(i))
			info.BLSPublicKeys = append(info.BLSPublicKeys, v.Key.Bytes())
		}
		return info
	}
	turned := info(list[2], list[0], list[1])
	want := must.Get(FromEpochInfo(turned))(t)
	have, ok := set.InOrderOf(turned)
	expect.That(t, ok && have.Equal(want) && have.At(1).Diligence == 1, "order %v, want %v", have, want)
	spoilt := info(list[:3]...)
	spoilt.BLSPublicKeys[1] = bytes.Repeat([]byte{0xff}, 48) // would not decode
	outside := info(list[:3]...)
	outside.Validators[1] = 7
	for name, other := range map[string]*types.EpochInfo{
		"none": nil, "one less": info(list[:2]...), "one more": info(list...), "another one": info(list[1:]...),
		"keys exchanged": info(Validator{Address: list[0].Address, Key: list[1].Key},
			Validator{Address: list[1].Address, Key: list[0].Key}, list[2]),
		"one twice": info(list[0], list[1], list[1]), "a key of rubbish": spoilt, "an index outside": outside,
	} {
		_, ok := set.InOrderOf(other)
		expect.That(t, !ok, "%s: taken for the same members", name)
	}
	_, ok = NewSet([]Validator{list[0], list[1], list[1]}).InOrderOf(info(list[0], list[1], list[1]))
	expect.That(t, !ok, "a set with one validator twice is put in order")
}

// An empty set must not divide by zero, and nothing may pass for a quorum of it (spec wbft 9.2 no. 3).
func TestEmptySet(t *testing.T) {
	s := NewSet(nil)
	if s.Quorum() != 1 || s.JoinCount() != 1 || s.Proposer(RoundRobin, common.Address{1}, 3) != (common.Address{}) {
		t.Errorf("quorum %d, join %d", s.Quorum(), s.JoinCount())
	}
	expect.Refused(t, s.VerifySeal(&types.WBFTSeal{Sealers: nil, Signature: make([]byte, 96)}, [32]byte{}),
		"empty set verifies a seal")
}

// Spec wbft 3.3 for any round, the largest included, where the sum wraps around as that of go-stablenet does.
func TestProposerOfLargeRounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := plain(rapid.IntRange(1, 30).Draw(t, "n"))
		n := uint64(s.Len())
		last := rapid.IntRange(0, s.Len()-1).Draw(t, "last")
		round := rapid.OneOf(rapid.Uint64(), rapid.Just(uint64(math.MaxUint64))).Draw(t, "round")
		for policy, offset := range map[uint64]uint64{RoundRobin: 1, Sticky: 0} {
			want := (uint64(last) + offset + round) % n
			got := s.Proposer(policy, s.At(last).Address, round)
			must.That(t, got == s.At(int(want)).Address, "policy %d, round %d: %v", policy, round, got)
		}
	})
}

// Two quorums share an honest validator, and a quorum exists without the faulty ones (spec wbft 3.2).
func TestQuorumIntersection(t *testing.T) {
	for n := 1; n <= MaxSize; n++ {
		s := &Set{list: make([]Validator, n)}
		q, faulty := s.Quorum(), (n-1)/3
		must.That(t, 2*q-n > faulty && q <= n-faulty && s.JoinCount() == faulty+1,
			"n = %d: quorum %d, join %d", n, q, s.JoinCount())
	}
}

func goodInfo(t testing.TB) *types.EpochInfo {
	info := new(types.EpochInfo)
	for i := range 4 {
		info.Candidates = append(
			info.Candidates, types.EpochCandidate{Address: common.Address{byte(i + 1)}, Diligence: 1_900_000},
		)
	}
	for _, i := range []uint32{2, 0, 3} {
		info.Validators = append(info.Validators, i)
		info.BLSPublicKeys = append(info.BLSPublicKeys, secret(t, int(i)).PublicKey().Bytes())
	}
	return info
}

func TestFromEpochInfo(t *testing.T) {
	s := must.Get(FromEpochInfo(goodInfo(t)))(t)
	expect.Slice(t, s.Addresses(), []common.Address{{3}, {1}, {4}}, "order")
	v := s.At(1)
	expect.That(t, v.Diligence == 1_900_000 && v.Key.Equal(secret(t, 0).PublicKey()), "validator 1: %v", v)
	for name, c := range map[string]struct {
		spoil func(*types.EpochInfo) *types.EpochInfo
		want  string
	}{
		"missing": {func(i *types.EpochInfo) *types.EpochInfo { return nil }, "missing"},
		"empty":   {func(i *types.EpochInfo) *types.EpochInfo { return new(types.EpochInfo) }, "no validators"},
		"too many": {func(i *types.EpochInfo) *types.EpochInfo {
			i.Candidates = make([]types.EpochCandidate, MaxSize+1)
			return i
		}, "more than"},
		"no keys": {func(i *types.EpochInfo) *types.EpochInfo { i.BLSPublicKeys = nil; return i }, "0 BLS keys"},
		"bad key": {
			func(i *types.EpochInfo) *types.EpochInfo { i.BLSPublicKeys[1] = make([]byte, 48); return i },
			"invalid BLS public key",
		},
		"beyond": {func(i *types.EpochInfo) *types.EpochInfo { i.Validators[2] = 4; return i }, "candidate 4 of 4"},
		"far beyond": {
			func(i *types.EpochInfo) *types.EpochInfo { i.Validators[2] = math.MaxUint32; return i },
			"candidate 4294967295 of 4",
		},
		"validator twice": {func(i *types.EpochInfo) *types.EpochInfo { i.Validators[2] = 2; return i }, "validator twice"},
		"address twice": {
			func(i *types.EpochInfo) *types.EpochInfo { i.Candidates[1] = i.Candidates[0]; return i }, "twice",
		},
	} {
		t.Run(name, func(t *testing.T) {
			expect.Says(t, expect.Err(FromEpochInfo(c.spoil(goodInfo(t)))), c.want, "%s", name)
		})
	}
}

// The proposers of lower rounds are named in order, each validator once; genesis has no proposer.
// spec: wbft 3.3
func TestSkipped(t *testing.T) {
	set := plain(4)
	parent := &types.Header{Number: big.NewInt(7), Coinbase: set.At(1).Address}
	genesis := &types.Header{Number: new(big.Int), Coinbase: set.At(1).Address}
	for name, row := range map[string]struct {
		policy uint64
		parent *types.Header
		round  uint64
		want   []int
	}{
		"round 0":              {RoundRobin, parent, 0, nil},
		"round robin":          {RoundRobin, parent, 3, []int{2, 3, 0}},
		"sticky":               {Sticky, parent, 3, []int{1, 2, 3}},
		"genesis":              {RoundRobin, genesis, 2, []int{0, 1}},
		"more than validators": {RoundRobin, parent, math.MaxUint64, []int{2, 3, 0, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			var want []common.Address
			for _, i := range row.want {
				want = append(want, set.At(i).Address)
			}
			expect.Slice(t, set.Skipped(row.policy, row.parent, row.round), want, "Skipped")
		})
	}
}

// A validator has sealed if any of the seals names it; an absent seal names none, a foreign index is an error.
// spec: wbft 2.5
func TestSealed(t *testing.T) {
	set := plain(4)
	seal := func(indices ...int) *types.WBFTSeal { return &types.WBFTSeal{Sealers: EncodeSealers(indices)} }
	got, err := set.Sealed(seal(0, 2), nil, seal(2, 3))
	want := []bool{true, false, true, true}
	expect.That(t, err == nil && slices.Equal(got, want), "%v, error %v, want %v", got, err, want)
	_, err = set.Sealed(seal(0), seal(4))
	expect.That(t, errors.Is(err, ErrSealer), "error %v for an index outside of the set, want %v", err, ErrSealer)
}

func TestSetLookup(t *testing.T) {
	list := plain(3).list
	s := NewSet(append(list, list[1]))
	list[0].Address = common.Address{9} // the set must not share it
	expect.That(t, s.Len() == 4 && s.At(0).Address[0] == 1, "set shares its argument: %v", s.Addresses())
	i, ok := s.Index(s.At(3).Address)
	expect.That(t, ok && i == 1, "address listed twice has position %d, %v, want its first, 1", i, ok)
	i, ok = s.Index(common.Address{42})
	expect.That(t, !ok && i == 0 && !s.Contains(common.Address{42}), "foreign address is in the set")
	s.Addresses()[0] = common.Address{}
	expect.That(t, s.Contains(s.At(0).Address) && s.At(0).Address != (common.Address{}), "Addresses exposes the set")
}
