// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package validators

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"gwon/consensus/wbft/bls"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/vectors"
)

// secret is the BLS key of validator key number i of the vectors.
func secret(t testing.TB, i int) *bls.SecretKey {
	t.Helper()
	node := must.Get(crypto.ToECDSA(crypto.Keccak256(fmt.Appendf(nil, "wbft-vector-key-%d", i))))(t)
	return must.Get(bls.DeriveKey(node))(t)
}

// plain is a set of n addresses without keys.
func plain(n int) *Set {
	list := make([]Validator, n)
	for i := range list {
		list[i].Address = common.BigToAddress(common.Big256)
		list[i].Address[0] = byte(i + 1)
	}
	return NewSet(list)
}

func TestQuorumVectors(t *testing.T) {
	var recorded struct {
		Cases []struct {
			N, Quorum int
			Join      []int `json:"roundChangeJoinCount"`
		}
	}
	vectors.Load(t, "quorum.json", &recorded)
	must.Equal(t, len(recorded.Cases), 40, "cases")
	for _, c := range recorded.Cases {
		if s := plain(c.N); s.Quorum() != c.Quorum || !slices.Equal([]int{s.JoinCount()}, c.Join) {
			t.Errorf("n = %d: quorum %d, join %d, want %d, %d", c.N, s.Quorum(), s.JoinCount(), c.Quorum, c.Join)
		}
	}
}

func TestProposerVectors(t *testing.T) {
	var recorded struct {
		Cases []struct {
			N       int
			Policy  uint64
			Last    json.RawMessage `json:"lastProposer"`
			ByRound []int           `json:"proposerIndexByRound"`
		}
	}
	vectors.Load(t, "proposer.json", &recorded)
	must.That(t, len(recorded.Cases) != 0, "no vectors")
	for _, c := range recorded.Cases {
		s := plain(c.N)
		var last common.Address
		switch name := strings.Trim(string(c.Last), `"`); name {
		case "zero":
		case "unknown":
			last = common.HexToAddress("0xdead")
		default:
			i := must.Get(strconv.Atoi(name))(t)
			last = s.At(i).Address
		}
		policies := []uint64{c.Policy}
		if c.Policy == RoundRobin {
			policies = append(policies, 2, 99) // any other number behaves as round robin
		}
		for _, policy := range policies {
			for round, want := range c.ByRound {
				got, ok := s.Index(s.Proposer(policy, last, uint64(round)))
				expect.That(t, ok && got == want,
					"n = %d, policy %d, last %s, round %d: %d, want %d", c.N, policy, c.Last, round, got, want)
			}
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

func TestSealerVectors(t *testing.T) {
	var recorded struct {
		Sets []struct {
			Set, Listed []int
			Bytes       hexutil.Bytes
		} `json:"sealerSets"`
	}
	vectors.Load(t, "sealers.json", &recorded)
	must.That(t, len(recorded.Sets) != 0, "no vectors")
	for _, c := range recorded.Sets {
		expect.Slice(t, EncodeSealers(c.Set), c.Bytes, "%v: bitmap", c.Set)
		got, err := DecodeSealers(c.Bytes, 21)
		expect.That(t, err == nil && slices.Equal(got, c.Listed), "%x: indices %v, %v, want %v", c.Bytes, got, err, c.Listed)
	}
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
		keys[crypto.PubkeyToAddress(node.PublicKey)] = secret(t, i).PublicKey().Bytes()
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
				in := EpochInput{Coinbase: coinbase, Current: current, Prior: prior, Before: prior}
				for _, b := range v.Blocks {
					set := must.Get(FromEpochInfo(current))(t)
					must.That(t, slices.Equal(set.Addresses(), b.Validators),
						"block %d: validators %v, want %v", b.Number, set.Addresses(), b.Validators)
					must.Equal(t, set.Proposer(RoundRobin, coinbase, b.Round), b.Proposer, "block %d: proposer", b.Number)
					coinbase, in.MixHash = b.Proposer, b.Mix
					in.Blocks = append(in.Blocks, EpochBlock{b.Number, b.Proposer, b.Prepared, b.Committed})
				}
				for _, a := range v.List {
					c := EpochCandidate{Address: a, BLSPublicKey: keys[a]}
					if slices.Contains(v.Without, a) {
						c.BLSPublicKey = nil
					}
					in.Candidates = append(in.Candidates, c)
				}
				got, err := ComputeEpoch(in)
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
