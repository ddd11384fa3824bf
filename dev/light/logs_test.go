// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package light

import (
	"errors"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth/filters"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
	"pgregory.net/rapid"
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
		query := filters.FilterCriteria{
			Addresses: rapid.SliceOfN(address, 0, 2).Draw(t, "addresses"),
			Topics:    rapid.SliceOfN(rapid.SliceOfN(topic, 0, 2), 0, 4).Draw(t, "criteria"),
		}
		if matches(receipt.Logs[0], query) && !possible(types.CreateBloom(receipt), query) {
			t.Fatalf("%+v is passed over for %+v", receipt.Logs[0], query)
		}
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
			query := filters.FilterCriteria{Addresses: test.addresses, Topics: test.topics}
			if have := matches(log, query); have != test.want {
				t.Errorf("%v, want %v", have, test.want)
			}
		})
	}
}

// Ends of ranges and numbers of criteria that cannot be served are refused before a node is asked.
func TestQueriesAreChecked(t *testing.T) {
	v := &view{head: &types.Header{Number: big.NewInt(5000)}}
	number := func(n int64) *big.Int { return big.NewInt(n) }
	for _, test := range []struct {
		name     string
		from, to *big.Int
	}{
		{"too many blocks", number(1), number(5000)},
		{"backwards", number(9), number(3)},
		{"backwards by a tag", nil, number(3)},
		{"no number", new(big.Int).Lsh(common.Big1, 64), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := v.searched(filters.FilterCriteria{FromBlock: test.from, ToBlock: test.to})
			var code gethrpc.Error
			if !errors.As(err, &code) || code.ErrorCode() != -32602 {
				t.Errorf("%v, want a refusal of parameters", err)
			}
		})
	}
	pending := number(gethrpc.PendingBlockNumber.Int64())
	if _, err := v.searched(filters.FilterCriteria{FromBlock: pending}); !errors.Is(err, errPending) {
		t.Errorf("pending: %v", err)
	}
	if list, err := v.searched(filters.FilterCriteria{FromBlock: number(5001)}); list != nil || err != nil {
		t.Errorf("after the newest block: %v, %v", list, err)
	}
	for _, query := range []filters.FilterCriteria{
		{Topics: make([][]common.Hash, maxTopics+1)}, {Addresses: make([]common.Address, maxCriteria+1)},
		{Topics: [][]common.Hash{make([]common.Hash, maxCriteria+1)}},
	} {
		if checkCriteria(query) == nil {
			t.Errorf("%d topics and %d addresses are taken", len(query.Topics), len(query.Addresses))
		}
	}
}
