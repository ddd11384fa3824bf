// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package filters

import (
	"context"
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/core/filtermaps"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rpc"
)

var errSearched = errors.New("the search began")

// headBackend knows its configuration and how high the head is, and tells when blocks are searched.
type headBackend struct {
	Backend
	config *params.ChainConfig
	head   uint64
}

func (b headBackend) ChainConfig() *params.ChainConfig { return b.config }
func (b headBackend) CurrentHeader() *types.Header {
	return &types.Header{Number: new(big.Int).SetUint64(b.head)}
}
func (b headBackend) HeaderByNumber(_ context.Context, number rpc.BlockNumber) (*types.Header, error) {
	if number < 0 {
		return b.CurrentHeader(), nil
	}
	return &types.Header{Number: big.NewInt(number.Int64())}, nil
}
func (b headBackend) HistoryPruningCutoff() uint64 { return 0 }
func (b headBackend) NewMatcherBackend() filtermaps.MatcherBackend {
	return searchedMatcher{}
}

type searchedMatcher struct{ filtermaps.MatcherBackend }

func (searchedMatcher) SyncLogIndex(context.Context) (filtermaps.SyncRange, error) {
	return filtermaps.SyncRange{}, errSearched
}
func (searchedMatcher) Close() {}

// The limit for ranges is measured in blocks that exist; what lies above the head has no logs (spec rpc 2.6, 9.7).
func TestRangeOfLogQueries(t *testing.T) {
	const limit, latest, earliest = 100, int64(rpc.LatestBlockNumber), int64(rpc.EarliestBlockNumber)
	anzeon := &params.ChainConfig{Anzeon: new(params.AnzeonConfig)}
	tooLong := "exceed maximum block range 100"
	for _, tt := range []struct {
		name       string
		config     *params.ChainConfig
		begin, end int64
		want       string // of the error; empty for an answer without a search
	}{
		{"to latest", anzeon, 950, latest, errSearched.Error()},
		{"as long as allowed, to latest", anzeon, 900, latest, errSearched.Error()},
		{"one block too long, to latest", anzeon, 899, latest, tooLong},
		{"to above the head", anzeon, 950, 1 << 40, errSearched.Error()},
		{"too long, to above the head", anzeon, 899, 1 << 40, tooLong},
		{"latest alone", anzeon, latest, latest, errSearched.Error()},
		{"latest to above the head", anzeon, latest, 1001, errSearched.Error()},
		{"all", anzeon, earliest, latest, tooLong},
		{"to finalized", anzeon, 950, int64(rpc.FinalizedBlockNumber), errSearched.Error()},
		{"old blocks", anzeon, 1, 50, errSearched.Error()},
		{"old blocks, too long", anzeon, 1, 102, tooLong},
		{"above the head", anzeon, 1001, 1002, ""},
		{"above the head to latest", anzeon, 1001, latest, ""},
		{"latest to an old block", anzeon, latest, 950,
			"invalid block range params: fromBlock is block 1000 and above toBlock, which is block 950"},
		{"latest to the head's number", anzeon, latest, 1000, errSearched.Error()},
		{"latest to earliest", anzeon, latest, earliest, "fromBlock is block 1000 and above toBlock, which is block 0"},
		{"a number to earliest", anzeon, 3, earliest, "fromBlock is block 3 and above toBlock, which is block 0"},
		{"another chain, to latest", params.TestChainConfig, 950, latest, tooLong},
	} {
		sys := NewFilterSystem(headBackend{config: tt.config, head: 1000}, Config{})
		logs, err := sys.NewRangeFilter(tt.begin, tt.end, nil, nil, limit).Logs(t.Context())
		switch {
		case tt.want == "" && (err != nil || len(logs) != 0):
			t.Errorf("%s: %v, error %v", tt.name, logs, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: error %v, want %s", tt.name, err, tt.want)
		}
	}
}
