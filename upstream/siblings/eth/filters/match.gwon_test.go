// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package filters

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/stretchr/testify/require"
)

// Sets find the logs that a search one by one finds, whatever a query asks for. spec: rpc 2.6
func TestSetsMatchAsLists(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	hashes := func(n int) (list []common.Hash) {
		for range n {
			list = append(list, common.BytesToHash([]byte{1 + byte(random.IntN(30))}))
		}
		return list
	}
	for range 500 {
		var (
			logs      []*types.Log
			addresses []common.Address
			topics    [][]common.Hash
		)
		for range random.IntN(3 * fewLogs) {
			logs = append(logs, &types.Log{
				Address: common.BytesToAddress([]byte{byte(random.IntN(30))}), Topics: hashes(random.IntN(5)),
			})
		}
		for range random.IntN(30) {
			addresses = append(addresses, common.BytesToAddress([]byte{byte(random.IntN(30))}))
		}
		for range random.IntN(4) {
			topics = append(topics, hashes(random.IntN(40)))
		}
		got := filterLogs(logs, nil, nil, addresses, topics)
		want := slices.DeleteFunc(slices.Clone(logs), func(l *types.Log) bool {
			if len(addresses) > 0 && !slices.Contains(addresses, l.Address) || len(topics) > len(l.Topics) {
				return true
			}
			for i, list := range topics {
				if len(list) > 0 && !slices.Contains(list, l.Topics[i]) {
					return true
				}
			}
			return false
		})
		require.Truef(t, slices.Equal(got, want), "%d logs of %d match, want %d", len(got), len(logs), len(want))
	}
}

// The cost of a log does not grow with the addresses and topics of a subscription.
func BenchmarkMatch(b *testing.B) {
	addresses, topics := make([]common.Address, 1000), [][]common.Hash{make([]common.Hash, 1000)}
	for i := range addresses {
		addresses[i] = common.BytesToAddress([]byte{1, byte(i >> 8), byte(i)})
		topics[0][i] = common.BytesToHash([]byte{1, byte(i >> 8), byte(i)})
	}
	logs := slices.Repeat([]*types.Log{{Address: addresses[999], Topics: []common.Hash{{}}}}, 5000)
	for b.Loop() {
		filterLogs(logs, nil, nil, addresses, topics)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(logs)), "ns/log")
}
