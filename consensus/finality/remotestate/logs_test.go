// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package remotestate

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"pgregory.net/rapid"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// A block with a log of a query is never passed over.
//
// spec: rpc 2.6
func TestNoBlockWithALogIsPassedOver(t *testing.T) {
	address := rapid.Custom(func(t *rapid.T) common.Address { return common.Address{rapid.ByteRange(0, 3).Draw(t, "a")} })
	topic := rapid.Custom(func(t *rapid.T) common.Hash { return common.Hash{rapid.ByteRange(0, 3).Draw(t, "t")} })
	rapid.Check(t, func(t *rapid.T) {
		receipt := &types.Receipt{Logs: []*types.Log{{
			Address: address.Draw(t, "address"), Topics: rapid.SliceOfN(topic, 0, 4).Draw(t, "topics"),
		}}}
		query := Criteria{
			Addresses: rapid.SliceOfN(address, 0, 2).Draw(t, "addresses"),
			Topics:    rapid.SliceOfN(rapid.SliceOfN(topic, 0, 2), 0, 4).Draw(t, "criteria"),
		}
		must.That(t, !query.Match(receipt.Logs[0]) || query.possible(types.CreateBloom(receipt)),
			"%+v is passed over for %+v", receipt.Logs[0], query)
	})
}

func TestLogsOfAQuery(t *testing.T) {
	one, two := common.Hash{1}, common.Hash{2}
	log := &types.Log{Address: common.Address{7}, Topics: []common.Hash{one, two}}
	for _, test := range []struct {
		name      string
		addresses []common.Address
		topics    [][]common.Hash
		want      bool
	}{
		{"anything", nil, nil, true},
		{"its address", []common.Address{{6}, {7}}, nil, true},
		{"another address", []common.Address{{6}}, nil, false},
		{"its topics", nil, [][]common.Hash{{one}, {two, one}}, true},
		{"any topic in front", nil, [][]common.Hash{{}, {two}}, true},
		{"topics in another order", nil, [][]common.Hash{{two}, {one}}, false},
		{"more topics than it has", nil, [][]common.Hash{{one}, {two}, {}}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			query := Criteria{Addresses: test.addresses, Topics: test.topics}
			expect.Equal(t, query.Match(log), test.want, "Match")
		})
	}
}
