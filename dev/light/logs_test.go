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

	"gwon/internal/expect"
)

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
			expect.That(t, errors.As(err, &code) && code.ErrorCode() == -32602, "%v, want a refusal of parameters", err)
		})
	}
	pending := number(gethrpc.PendingBlockNumber.Int64())
	expect.Error(t, expect.Err(v.searched(filters.FilterCriteria{FromBlock: pending})), errPending, "pending")
	list, err := v.searched(filters.FilterCriteria{FromBlock: number(5001)})
	expect.That(t, list == nil && err == nil, "after the newest block: %v, %v", list, err)
	for _, query := range []filters.FilterCriteria{
		{Topics: make([][]common.Hash, filters.MaxTopics+1)}, {Addresses: make([]common.Address, filters.MaxCriteria+1)},
		{Topics: [][]common.Hash{make([]common.Hash, filters.MaxCriteria+1)}},
	} {
		expect.That(t, checkCriteria(query) != nil,
			"%d topics and %d addresses are taken", len(query.Topics), len(query.Addresses))
	}
}
