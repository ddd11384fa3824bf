// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rules

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/math"
	"github.com/ethereum/go-ethereum/core/types"
	"pgregory.net/rapid"

	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/vectors"
)

// Shares and dust by account, as credited at block end (spec chain 8.1).
func TestDistributeBaseFee(t *testing.T) {
	var v struct {
		Cases []struct {
			Note       string                `json:"note"`
			BaseFee    *math.HexOrDecimal256 `json:"baseFee"`
			GasUsed    uint64                `json:"gasUsed"`
			Pool       *math.HexOrDecimal256 `json:"pool"`
			Coinbase   common.Address        `json:"coinbase"`
			Indices    []uint32              `json:"validatorIndices"`
			Candidates []struct {
				Address   common.Address        `json:"address"`
				Diligence *uint64               `json:"diligence"`
				Credited  *math.HexOrDecimal256 `json:"credited"`
			} `json:"candidates"`
		} `json:"cases"`
	}
	vectors.Load(t, "fee-distribution.json", &v)
	must.That(t, len(v.Cases) != 0, "no cases")
	for _, c := range v.Cases {
		t.Run(c.Note, func(t *testing.T) {
			want := make(map[common.Address]*big.Int)
			epoch := &types.EpochInfo{Validators: c.Indices}
			for _, candidate := range c.Candidates {
				want[candidate.Address] = (*big.Int)(candidate.Credited)
				if candidate.Diligence != nil {
					epoch.Candidates = append(epoch.Candidates,
						types.EpochCandidate{Address: candidate.Address, Diligence: *candidate.Diligence})
				}
			}
			total := new(big.Int).Mul((*big.Int)(c.BaseFee), new(big.Int).SetUint64(c.GasUsed))
			must.That(t, total.Cmp((*big.Int)(c.Pool)) == 0, "pool %v, want %v", total, (*big.Int)(c.Pool))
			shares, dust, err := DistributeBaseFee(total, epoch)
			must.Do(t, err)
			credited := map[common.Address]*big.Int{c.Coinbase: dust}
			for _, s := range shares {
				expect.That(t, s.Amount.Sign() > 0, "share of %v is %v", s.Address, s.Amount)
				if credited[s.Address] == nil {
					credited[s.Address] = new(big.Int)
				}
				credited[s.Address] = new(big.Int).Add(credited[s.Address], s.Amount)
			}
			for a, amount := range want {
				got := credited[a]
				if got == nil {
					got = new(big.Int)
				}
				expect.That(t, got.Cmp(amount) == 0, "%v is credited %v, want %v", a, got, amount)
			}
		})
	}
}

// No wei is made or lost, no share exceeds the exact quotient, and the dust is below the number of validators unless
// no validator has diligence.
func TestDistributeBaseFeeConserves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		epoch := new(types.EpochInfo)
		n := rapid.IntRange(1, 40).Draw(t, "candidates")
		for i := range n {
			epoch.Candidates = append(epoch.Candidates, types.EpochCandidate{
				Address:   common.Address{byte(i)},
				Diligence: rapid.OneOf(rapid.Uint64Range(0, 2_000_000), rapid.Uint64()).Draw(t, "diligence"),
			})
		}
		epoch.Validators = rapid.SliceOfN(rapid.Uint32Range(0, uint32(n-1)), 0, 60).Draw(t, "validators")
		total := new(big.Int).SetBytes(rapid.SliceOfN(rapid.Byte(), 0, 32).Draw(t, "total"))

		shares, dust, err := DistributeBaseFee(total, epoch)
		must.Do(t, err)
		sum, diligence := new(big.Int).Set(dust), new(big.Int)
		for _, s := range shares {
			sum.Add(sum, s.Amount)
		}
		must.That(t, sum.Cmp(total) == 0 && dust.Sign() >= 0,
			"shares and dust add up to %v, want %v; dust %v", sum, total, dust)
		for _, v := range epoch.Validators {
			diligence.Add(diligence, new(big.Int).SetUint64(epoch.Candidates[v].Diligence))
		}
		if diligence.Sign() == 0 {
			must.That(t, dust.Cmp(total) == 0, "dust %v, want all of %v", dust, total)
		} else if dust.Cmp(big.NewInt(int64(len(epoch.Validators)))) >= 0 {
			t.Fatalf("dust %v of %d validators", dust, len(epoch.Validators))
		}
	})
}

func TestDistributeBaseFeeRefuses(t *testing.T) {
	one := []types.EpochCandidate{{Address: common.Address{1}, Diligence: 1}}
	tooMuch := new(big.Int).Lsh(big.NewInt(1), 256)
	for name, c := range map[string]struct {
		total *big.Int
		epoch *types.EpochInfo
	}{
		"negative total":      {big.NewInt(-1), &types.EpochInfo{}},
		"no epoch":            {big.NewInt(1), nil},
		"index out of range":  {big.NewInt(1), &types.EpochInfo{Candidates: one, Validators: []uint32{0, 1}}},
		"share above 256 bit": {tooMuch, &types.EpochInfo{Candidates: one, Validators: []uint32{0}}},
		"dust above 256 bit":  {tooMuch, &types.EpochInfo{Candidates: one}},
	} {
		t.Run(name, func(t *testing.T) {
			shares, dust, err := DistributeBaseFee(c.total, c.epoch)
			expect.Refused(t, err, "%s: shares %v, dust %v", name, shares, dust)
		})
	}
	// The rule is skipped for a block without gas, whatever its epoch.
	shares, dust, err := DistributeBaseFee(new(big.Int), nil)
	expect.That(t, err == nil && len(shares) == 0 && dust.Sign() == 0, "nothing to share: %v, %v, %v", shares, dust, err)
	total := big.NewInt(5)
	_, dust, _ = DistributeBaseFee(total, &types.EpochInfo{})
	expect.That(t, dust != total, "the dust shares memory with the total")
}
