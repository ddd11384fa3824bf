// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package nextepoch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"pgregory.net/rapid"

	"gwon/consensus/wbft/bls"
	"gwon/consensus/wbft/validators"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/vectors"
)

// infoOf is an epoch of n validators with addresses 1..n, all of the given diligence.
func infoOf(n int, diligence uint64) *types.EpochInfo {
	info := new(types.EpochInfo)
	for i := range n {
		info.Candidates = append(
			info.Candidates, types.EpochCandidate{Address: common.Address{byte(i + 1)}, Diligence: diligence},
		)
		info.Validators = append(info.Validators, uint32(i))
		info.BLSPublicKeys = append(info.BLSPublicKeys, make([]byte, 48))
	}
	return info
}

// steady is a flawless epoch of four validators in round robin, blocks first .. first+length-1, with the same set all
// along.
func steady(first uint64, length int) Input {
	info := infoOf(4, DefaultDiligence)
	in := Input{Current: info, Prior: info, Before: info, Coinbase: common.Address{4}}
	if first == 1 {
		in.Coinbase = common.Address{}
	}
	for i := range length {
		b := Block{Number: first + uint64(i), Coinbase: common.Address{byte(i%4 + 1)}}
		if b.Number > 1 {
			b.PrevPrepared, b.PrevCommitted = []int{0, 1, 2, 3}, []int{0, 1, 2, 3}
		}
		in.Blocks = append(in.Blocks, b)
	}
	for _, c := range info.Candidates {
		in.Candidates = append(in.Candidates, Candidate{c.Address, make([]byte, 48)})
	}
	return in
}

func compute(t *testing.T, in Input) map[common.Address]uint64 {
	t.Helper()
	info := must.Get(Compute(in))(t)
	got := make(map[common.Address]uint64)
	for _, c := range info.Candidates {
		got[c.Address] = c.Diligence
	}
	return got
}

// Figures worked out by hand from spec wbft 3.5 step 3.
func TestDiligence(t *testing.T) {
	t.Run("flawless", func(t *testing.T) {
		// s = 2e, d = U + 8U/8: D' = (1.9·(10·8-8) + 2·8)/10/8 = 1.91
		for a, d := range compute(t, steady(9, 8)) {
			expect.Equal(t, d, 1_910_000, "%v", a)
		}
	})
	t.Run("missing commit seals", func(t *testing.T) {
		in := steady(9, 8)
		in.Blocks[3].PrevCommitted = []int{0, 1, 2} // block 12 of proposer 4 lacks the seal of 4
		got := compute(t, in)
		// submitted 15 of 16; proposed 15 of 16: d = 937500 + 937500
		expect.That(t, got[common.Address{4}] == (1_900_000*72+1_875_000*8)/10/8 && got[common.Address{1}] == 1_910_000,
			"%v", got)
	})
	t.Run("skipped proposer", func(t *testing.T) {
		in := steady(9, 4)
		in.Blocks[3].Coinbase = common.Address{1} // 4 had its turn, then 1
		got := compute(t, in)
		// 4: w = 1, proposed 0: d = U. 1: w = 2, proposed 16 of 16: d = 2U.
		expect.That(t, got[common.Address{4}] == (1_900_000*36+1_000_000*4)/10/4 && got[common.Address{1}] == 1_910_000,
			"%v", got)
	})
	t.Run("sticky policy", func(t *testing.T) {
		in := steady(9, 4)
		in.Policy = validators.Sticky
		in.Coinbase = common.Address{1}
		for i := range in.Blocks {
			in.Blocks[i].Coinbase = common.Address{1}
		}
		got := compute(t, in)
		// The others had no turn, which counts as full marks.
		expect.That(t, got[common.Address{1}] == 1_910_000 && got[common.Address{2}] == 1_910_000, "%v", got)
	})
	t.Run("first epoch", func(t *testing.T) {
		// e = 4, rate 3, seals 6 of 6; block 1 has no seals and its turn does not count: d = 2U for all.
		for a, d := range compute(t, steady(1, 4)) {
			expect.Equal(t, d, uint64((1_900_000*37+2_000_000*3)/10/4), "%v", a)
		}
	})
	t.Run("newcomer and leaver", func(t *testing.T) {
		in := steady(9, 8)
		in.Candidates[3] = Candidate{common.Address{77}, make([]byte, 48)}
		got := compute(t, in)
		_, there := got[common.Address{4}]
		expect.That(t, !there && got[common.Address{77}] == DefaultDiligence, "%v", got)
	})
	t.Run("candidate that was no validator", func(t *testing.T) {
		in := steady(9, 8)
		info := infoOf(5, 1_000_000)
		info.Validators, info.BLSPublicKeys = info.Validators[:4], info.BLSPublicKeys[:4]
		in.Current = info
		in.Candidates = append(in.Candidates, Candidate{common.Address{5}, nil})
		// rate 1, no seals, no turns: d = U
		got := compute(t, in)
		expect.That(t, got[common.Address{5}] == 1_000_000, "%v", got)
	})
	t.Run("before differs from prior", func(t *testing.T) {
		// P-1 is an epoch block too and was governed by a set without 4: 4 counts as new, at rate e-1, and its seals
		// must fit.
		in := steady(9, 8)
		in.Before = infoOf(3, DefaultDiligence)
		expect.Error(t, expect.Err(Compute(in)), ErrDiligence, "16 seals in 7 blocks")
		in.Blocks[0].PrevPrepared, in.Blocks[0].PrevCommitted = []int{0, 1, 2}, []int{0, 1, 2}
		got := compute(t, in)
		want := uint64((1_900_000*73 + 2_000_000*7) / 10 / 8)
		expect.That(t, got[common.Address{4}] == want, "%d, want %d", got[common.Address{4}], want)
	})
	t.Run("shrunk set", func(t *testing.T) {
		// The first proposer is measured against the size of the set whose seals its first block holds: m = 2·4·2 +
		// 2·2.
		in := steady(9, 8)
		in.Prior = infoOf(6, DefaultDiligence)
		in.Before = in.Prior
		in.Coinbase = common.Address{4}
		in.Blocks[0].PrevPrepared, in.Blocks[0].PrevCommitted = []int{0, 1, 2, 3, 4, 5}, []int{0, 1, 2, 3, 4, 5}
		for a, d := range compute(t, in) {
			expect.Equal(t, d, 1_910_000, "%v", a)
		}
	})
}

func TestComputeErrors(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*Input)
		want  string
	}{
		"no blocks":        {func(in *Input) { in.Blocks = nil }, "no blocks"},
		"genesis inside":   {func(in *Input) { in.Blocks[0].Number = 0 }, "genesis"},
		"gap":              {func(in *Input) { in.Blocks = slices.Delete(in.Blocks, 2, 3) }, "lacks block 11"},
		"no candidates":    {func(in *Input) { in.Candidates = nil }, "0 candidates"},
		"too many":         {func(in *Input) { in.Candidates = make([]Candidate, validators.MaxSize+1) }, "4097 candidates"},
		"candidate twice":  {func(in *Input) { in.Candidates[1] = in.Candidates[0] }, "twice"},
		"odd key":          {func(in *Input) { in.Candidates[1].BLSPublicKey = make([]byte, 47) }, "47 bytes"},
		"no keys at all":   {func(in *Input) { clearKeys(in) }, "BLS key"},
		"current missing":  {func(in *Input) { in.Current = nil }, "current epoch"},
		"prior missing":    {func(in *Input) { in.Prior = nil }, "prior epoch"},
		"before missing":   {func(in *Input) { in.Before = nil }, "epoch before the prior one"},
		"unknown coinbase": {func(in *Input) { in.Blocks[2].Coinbase = common.Address{99} }, "not a validator"},
		"sealer beyond":    {func(in *Input) { in.Blocks[2].PrevPrepared = []int{4} }, "outside the validator set"},
		"negative sealer":  {func(in *Input) { in.Blocks[2].PrevCommitted = []int{-1} }, "outside the validator set"},
		"too many sealers": {
			func(in *Input) { in.Blocks[2].PrevCommitted = make([]int, 5) }, "outside the validator set",
		},
		"no validators now":  {func(in *Input) { in.Current = new(types.EpochInfo) }, "of 0 validators"},
		"diligence too high": {func(in *Input) { in.Current = infoOf(4, 2_100_000) }, "invalid diligence"},
		"one block, new validators": {func(in *Input) {
			in.Before = infoOf(3, 1)
			in.Blocks = in.Blocks[:1]
			in.Blocks[0].PrevPrepared, in.Blocks[0].PrevCommitted = []int{0, 1, 2}, []int{0, 1, 2}
		}, "invalid diligence"},
		"as many turns as the set shrank by": {func(in *Input) {
			in.Prior = new(types.EpochInfo) // m = 2·4·1 - 2·4 = 0
			in.Blocks = in.Blocks[:1]
			in.Blocks[0].PrevPrepared, in.Blocks[0].PrevCommitted = nil, nil
		}, "invalid diligence"},
	} {
		t.Run(name, func(t *testing.T) {
			in := steady(9, 8)
			c.spoil(&in)
			expect.Says(t, expect.Err(Compute(in)), c.want, "%s", name)
		})
	}
}

func clearKeys(in *Input) {
	for i := range in.Candidates {
		in.Candidates[i].BLSPublicKey = nil
	}
}

// Whatever happened in an epoch, its result is a well-formed epoch info of all candidates, or an error; diligence never
// exceeds the maximum.
func TestComputeProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		length := rapid.IntRange(2, 12).Draw(t, "length")
		in := steady(rapid.SampledFrom([]uint64{1, 9}).Draw(t, "first"), length)
		subset := rapid.SliceOfNDistinct(rapid.IntRange(0, 3), 3, 4, rapid.ID)
		for i := range in.Blocks {
			in.Blocks[i].Coinbase = common.Address{byte(rapid.IntRange(1, 4).Draw(t, "coinbase"))}
			in.Blocks[i].PrevPrepared, in.Blocks[i].PrevCommitted = subset.Draw(t, "prepared"), subset.Draw(t, "committed")
		}
		in.MixHash = common.Hash(rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "mix"))
		info := must.Get(Compute(in))(t)
		must.Get(validators.WithoutKeys(info))(t)
		must.Equal(t, len(info.Validators), len(in.Candidates), "validators")
		for i, c := range info.Candidates {
			must.That(t, c.Diligence <= MaxDiligence && c.Address == in.Candidates[i].Address, "candidate %d: %v", i, c)
		}
	})
}

// The batch against the rule as it is written, index by index (spec wbft 3.5 step 5), also where several hashes are
// needed.
func TestShuffleAgainstRule(t *testing.T) {
	byRule := func(index, n int, seed common.Hash) int {
		for round := range byte(33) {
			head := crypto.Keccak256(seed[:], []byte{round})
			pivot := int(binary.LittleEndian.Uint64(head[:8]) % uint64(n))
			flip := (pivot + n - index) % n
			pos := max(index, flip)
			source := crypto.Keccak256(seed[:], []byte{round}, binary.LittleEndian.AppendUint32(nil, uint32(pos>>8)))
			if source[(pos&0xff)>>3]>>(pos&7)&1 == 1 {
				index = flip
			}
		}
		return index
	}
	for _, n := range []int{1, 7, 256, 257, 600} {
		seed := common.Hash{byte(n), 1}
		for i, got := range Shuffle(n, seed) {
			must.Equal(t, got, byRule(i, n, seed), "n = %d: place of %d", n, i)
		}
	}
}

// Swap-or-not is a permutation, and deterministic, for sizes around the 256 positions that share a hash.
func TestShuffleIsPermutation(t *testing.T) {
	for _, n := range []int{0, 1, 2, 255, 256, 257, 513, validators.MaxSize} {
		seen := make([]bool, n)
		for _, to := range Shuffle(n, common.Hash{7}) {
			must.That(t, to >= 0 && to < n && !seen[to], "n = %d: %d is wrong or twice", n, to)
			seen[to] = true
		}
	}
}

func TestShuffleVectors(t *testing.T) {
	var recorded struct {
		Shuffle []struct {
			N        int
			Seed     common.Hash
			Shuffled []int
		}
		Decide []struct {
			Diligence []uint64
			Mix       common.Hash `json:"mixDigest"`
			Sorted    []int       `json:"sortedIndices"`
			Result    []int       `json:"validators"`
		} `json:"decideValidators"`
	}
	vectors.Load(t, "shuffle.json", &recorded)
	must.That(t, len(recorded.Shuffle) != 0 && len(recorded.Decide) != 0, "no vectors")
	for _, c := range recorded.Shuffle {
		expect.Slice(t, Shuffle(c.N, c.Seed), c.Shuffled, "n = %d, seed %x", c.N, c.Seed)
	}
	most := 0
	for i, c := range recorded.Decide {
		order := SortCandidates(c.Diligence)
		expect.Slice(t, order, c.Sorted, "case %d: order", i)
		var result []int
		for _, to := range Shuffle(len(order), c.Mix) {
			result = append(result, order[to])
		}
		expect.Slice(t, result, c.Result, "case %d: validators", i)
		most = max(most, len(order))
	}
	expect.That(t, most >= 13, "no case above 12 candidates, where ties leave list order")
}

type vectorInfo struct {
	Candidates []struct {
		Address   common.Address
		Diligence uint64
	}
	Validators    []uint32
	BLSPublicKeys []hexutil.Bytes
}

func (v *vectorInfo) info() *types.EpochInfo {
	info := &types.EpochInfo{Validators: v.Validators}
	for _, c := range v.Candidates {
		info.Candidates = append(info.Candidates, types.EpochCandidate{Address: c.Address, Diligence: c.Diligence})
	}
	for _, k := range v.BLSPublicKeys {
		info.BLSPublicKeys = append(info.BLSPublicKeys, k)
	}
	return info
}

type vectorEpoch struct {
	Blocks []struct {
		Number     uint64
		Proposer   common.Address
		Round      uint64
		Mix        common.Hash `json:"mixDigest"`
		Validators []common.Address
		Prepared   []int `json:"prevPreparedSealers"`
		Committed  []int `json:"prevCommittedSealers"`
	}
	Info    *vectorInfo      `json:"epochInfo"`
	List    []common.Address `json:"govValidatorListAtEnd"`
	Without []common.Address `json:"withoutBlsKey"`
	Error   string
}

// Every scenario is followed from genesis on our own results, so that an error in one epoch shows in the next, too. The
// proposer of every block must be the one the formula gives for the recorded round.
func TestEpochVectors(t *testing.T) {
	var recorded struct {
		Scenarios []struct {
			Name    string
			Genesis vectorInfo `json:"genesisEpochInfo"`
			Epochs  []vectorEpoch
		}
	}
	vectors.Load(t, "epoch.json", &recorded)
	keys := make(map[common.Address][]byte)
	for _, i := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 20, 21} {
		node := must.Get(crypto.ToECDSA(crypto.Keccak256(fmt.Appendf(nil, "wbft-vector-key-%d", i))))(t)
		keys[crypto.PubkeyToAddress(node.PublicKey)] = must.Get(bls.DeriveKey(node))(t).PublicKey().Bytes()
	}
	must.That(t, len(recorded.Scenarios) != 0, "no vectors")
	failed := 0
	for _, s := range recorded.Scenarios {
		t.Run(s.Name, func(t *testing.T) {
			genesis := s.Genesis.info()
			prior, current := genesis, genesis
			var coinbase common.Address
			for i, v := range s.Epochs {
				// No epoch here has only one block, so that the same set governs a last block and the one before it.
				in := Input{Coinbase: coinbase, Current: current, Prior: prior, Before: prior}
				for _, b := range v.Blocks {
					set := must.Get(validators.FromEpochInfo(current))(t)
					must.That(t, slices.Equal(set.Addresses(), b.Validators),
						"block %d: validators %v, want %v", b.Number, set.Addresses(), b.Validators)
					must.Equal(t, set.Proposer(validators.RoundRobin, coinbase, b.Round), b.Proposer, "block %d: proposer", b.Number)
					coinbase, in.MixHash = b.Proposer, b.Mix
					in.Blocks = append(in.Blocks, Block{b.Number, b.Proposer, b.Prepared, b.Committed})
				}
				for _, a := range v.List {
					c := Candidate{Address: a, BLSPublicKey: keys[a]}
					if slices.Contains(v.Without, a) {
						c.BLSPublicKey = nil
					}
					in.Candidates = append(in.Candidates, c)
				}
				got, err := Compute(in)
				if v.Error != "" {
					failed++
					expect.That(t, errors.Is(err, ErrDiligence) && strings.Contains(err.Error(), "2057500"),
						"epoch %d: %v, %v, want: %s", i, got, err, v.Error)
					return
				}
				must.Do(t, err, "epoch", i)
				want := v.Info.info()
				must.That(t, reflect.DeepEqual(got, want), "epoch %d:\n got %v\nwant %v", i, got, want)
				prior, current = current, got
			}
		})
	}
	expect.That(t, failed != 0, "no scenario reached the diligence limit")
}
