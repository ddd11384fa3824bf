// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package validators

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
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
