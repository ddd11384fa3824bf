// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package filters

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus/ethash"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/filtermaps"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/ethereum/go-ethereum/triedb"
)

// inBubble runs a test of bounded filters over a backend, with time that passes at once, and ends what it has started.
func inBubble(t *testing.T, bounds Bounds, test func(t *testing.T, backend *testBackend, b *BoundedAPI)) {
	synctest.Test(t, func(t *testing.T) {
		db := rawdb.NewMemoryDatabase()
		genesis := (&core.Genesis{Config: params.TestChainConfig}).ToBlock()
		rawdb.WriteBlock(db, genesis)
		rawdb.WriteCanonicalHash(db, genesis.Hash(), 0)
		rawdb.WriteHeadBlockHash(db, genesis.Hash())
		backend, system := newTestFilterSystem(db, Config{LogQueryLimit: 3})
		b := NewBoundedAPI(system, bounds)
		test(t, backend, b)
		b.filtersMu.Lock()
		var left []rpc.ID
		for id := range b.filters {
			left = append(left, id)
		}
		b.filtersMu.Unlock()
		for _, id := range left {
			b.UninstallFilter(id)
		}
		b.events.chainSub.Unsubscribe()
		synctest.Wait()
	})
}

// hasCode reports whether err is an error of JSON-RPC with this code whose text contains text.
func hasCode(err error, code int, text string) bool {
	var coded rpc.Error
	return errors.As(err, &coded) && coded.ErrorCode() == code && strings.Contains(err.Error(), text)
}

func pendingFilter(b *BoundedAPI, full bool) func() (rpc.ID, error) {
	return func() (rpc.ID, error) { return b.NewPendingTransactionFilter(&full), nil }
}

// The filters of one client are bounded, and those of all together; what is uninstalled makes room. spec: rpc 9.7
func TestNumberOfFilters(t *testing.T) {
	bounds := Bounds{Filters: 3, PerClient: 2, Items: 10, Bytes: 1000}
	inBubble(t, bounds, func(t *testing.T, _ *testBackend, b *BoundedAPI) {
		install := func(client, refused string) rpc.ID {
			t.Helper()
			id, err := b.Install([]string{client}, 0, pendingFilter(b, false))
			switch {
			case refused == "" && err != nil:
				t.Errorf("%s: %v", client, err)
			case refused != "" && !hasCode(err, -32005, refused):
				t.Errorf("%s: error %v, want %q", client, err, refused)
			}
			return id
		}
		first := install("a", "")
		install("a", "")
		install("a", "this client has 2 filters")
		install("b", "")
		install("c", "3 filters are installed here")
		if !b.UninstallFilter(first) {
			t.Error("the first filter is gone")
		}
		install("c", "")
	})
}

// A filter that holds more than it may is removed, and says so when it is polled; one that is polled in time holds
// nothing. spec: rpc 9.7
func TestWhatFiltersHold(t *testing.T) {
	transaction := types.NewTx(&types.LegacyTx{Data: make([]byte, 100)})
	transactions := func(n int) []*types.Transaction {
		txs := make([]*types.Transaction, n)
		for i := range txs {
			txs[i] = transaction
		}
		return txs
	}
	fiveInFull := 5 * (txSize + 2*int(transaction.Size()))
	l := &types.Log{Topics: make([]common.Hash, 2), Data: make([]byte, 50)}
	logs := func(n int) []*types.Log {
		all := make([]*types.Log, n)
		for i := range all {
			all[i] = l
		}
		return all
	}
	for _, tt := range []struct {
		name   string
		bounds Bounds
		logs   bool
		full   bool
	}{
		{"hashes by number", Bounds{Filters: 9, PerClient: 9, Items: 5, Bytes: 1e6}, false, false},
		{"hashes by bytes", Bounds{Filters: 9, PerClient: 9, Items: 100, Bytes: 5 * hashSize}, false, false},
		{"transactions by number", Bounds{Filters: 9, PerClient: 9, Items: 5, Bytes: 1e6}, false, true},
		{"transactions by bytes", Bounds{Filters: 9, PerClient: 9, Items: 100, Bytes: fiveInFull}, false, true},
		{"logs by number", Bounds{Filters: 9, PerClient: 9, Items: 5, Bytes: 1e6}, true, false},
		{"logs by bytes", Bounds{Filters: 9, PerClient: 9, Items: 100, Bytes: 5 * sizeOfLog(l)}, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, tt.bounds, func(t *testing.T, backend *testBackend, b *BoundedAPI) {
				var id rpc.ID
				var err error
				if tt.logs {
					id, err = b.InstallLogs([]string{"a"}, FilterCriteria{})
				} else {
					id, err = b.Install([]string{"a"}, 0, pendingFilter(b, tt.full))
				}
				if err != nil {
					t.Fatal(err)
				}
				come := func(n int) {
					if tt.logs {
						backend.logsFeed.Send(logs(n))
					} else {
						backend.txFeed.Send(core.NewTxsEvent{Txs: transactions(n)})
					}
					time.Sleep(2 * time.Second)
					synctest.Wait()
				}
				poll := func(want int) {
					t.Helper()
					changes, err := b.Changes(id)
					if err != nil {
						t.Errorf("polled: %v", err)
						return
					}
					encoded, err := json.Marshal(changes)
					var entries []any
					if err != nil || json.Unmarshal(encoded, &entries) != nil || len(entries) != want {
						t.Errorf("polled %d entries (%v), want %d", len(entries), err, want)
					}
				}
				come(3)
				come(2)
				poll(5) // as many as it may hold
				come(5)
				poll(5) // and as many again
				come(3)
				come(3)
				if _, err = b.Changes(id); !hasCode(err, -32003, "filter overflowed") {
					t.Errorf("polled too late: %v", err)
				}
				if b.Overflow(id) == nil || b.Overflow("another") != nil {
					t.Error("another filter has overflowed")
				}
				if b.filters[id] != nil {
					t.Error("the filter is still there")
				}
			})
		})
	}
}

// A filter's query is bounded like that of eth_getLogs: it is kept for as long as the filter. spec: rpc 9.7
func TestQueriesOfFilters(t *testing.T) {
	bounds := Bounds{Filters: 9, PerClient: 9, Items: 5, Bytes: 1000, Criteria: 99, CriteriaPerClient: 99}
	inBubble(t, bounds, func(t *testing.T, _ *testBackend, b *BoundedAPI) {
		for name, tt := range map[string]struct {
			query FilterCriteria
			want  error
		}{
			"addresses":          {FilterCriteria{Addresses: make([]common.Address, 3)}, nil},
			"too many addresses": {FilterCriteria{Addresses: make([]common.Address, 4)}, errExceedLogQueryLimit},
			"topics":             {FilterCriteria{Topics: [][]common.Hash{make([]common.Hash, 3)}}, nil},
			"too many topics":    {FilterCriteria{Topics: [][]common.Hash{nil, make([]common.Hash, 4)}}, errExceedLogQueryLimit},
		} {
			if _, err := b.InstallLogs([]string{"a"}, tt.query); !errors.Is(err, tt.want) {
				t.Errorf("%s: %v, want %v", name, err, tt.want)
			}
		}
	})
}

// What is counted for logs and transactions is what they take in an answer, or little more.
func TestSizes(t *testing.T) {
	three, data := make([]common.Hash, 3), make([]byte, 32)
	for _, l := range []*types.Log{
		{Topics: three, Data: data, BlockNumber: 1 << 30, BlockTimestamp: 1 << 31, TxIndex: 100, Index: 1000},
		{Topics: []common.Hash{}, Data: make([]byte, 10_000), BlockNumber: 1},
		{Topics: make([]common.Hash, 4), BlockNumber: 1},
	} {
		encoded, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		if have, real := sizeOfLog(l), len(encoded)+1; have < real || have > real*6/5 {
			t.Errorf("a log of %d bytes is counted as %d", real, have)
		}
	}
	ctx, allowance := WithAllowance(t.Context(), 2*logSize)
	for i, want := range []bool{false, false, true, true} {
		if err := spend(ctx, new(types.Log)); (err != nil) != want || allowance.Exceeded() != want {
			t.Errorf("log %d: %v", i, err)
		}
	}
	if err := spend(t.Context(), &types.Log{Data: make([]byte, 100_000)}); err != nil {
		t.Errorf("without an allowance: %v", err)
	}
}

// A query that the index answers is bounded while its logs are looked up, one that it does not while blocks are read.
func TestAllowanceOfQueries(t *testing.T) {
	const blocks = 10
	emitter := common.Address{0xe}
	key, err := crypto.ToECDSA(common.BigToHash(common.Big1).Bytes())
	if err != nil {
		t.Fatal(err)
	}
	alloc := types.GenesisAlloc{
		emitter:                               {Code: common.FromHex("60006000a0")}, // a log without topics and data
		crypto.PubkeyToAddress(key.PublicKey): {Balance: big.NewInt(params.Ether)},
	}
	genesis := &core.Genesis{Config: params.TestChainConfig, BaseFee: big.NewInt(params.InitialBaseFee), Alloc: alloc}
	db := rawdb.NewMemoryDatabase()
	_, chain, receipts := core.GenerateChainWithGenesis(genesis, ethash.NewFaker(), blocks, func(i int, b *core.BlockGen) {
		tx := &types.LegacyTx{Nonce: uint64(i), To: &emitter, Gas: 50_000, GasPrice: b.BaseFee()}
		b.AddTx(types.MustSignNewTx(key, types.LatestSigner(genesis.Config), tx))
	})
	genesis.MustCommit(db, triedb.NewDatabase(db, nil))
	for i, block := range chain {
		rawdb.WriteBlock(db, block)
		rawdb.WriteCanonicalHash(db, block.Hash(), block.NumberU64())
		rawdb.WriteHeadBlockHash(db, block.Hash())
		rawdb.WriteReceipts(db, block.Hash(), block.NumberU64(), receipts[i])
	}
	for _, indexed := range []bool{true, false} {
		t.Run(fmt.Sprintf("indexed %v", indexed), func(t *testing.T) {
			backend, system := newTestFilterSystem(db, Config{})
			backend.startFilterMaps(0, !indexed, filtermaps.DefaultParams)
			defer backend.stopFilterMaps()
			for bytes, exceeds := range map[int]bool{blocks * logSize: false, blocks*logSize - 1: true} {
				ctx, allowance := WithAllowance(t.Context(), bytes)
				logs, err := system.NewRangeFilter(0, int64(rpc.LatestBlockNumber), []common.Address{emitter}, nil, 0).Logs(ctx)
				if (err != nil) != exceeds || allowance.Exceeded() != exceeds || !exceeds && len(logs) != blocks {
					t.Errorf("%d bytes: %d logs, %v", bytes, len(logs), err)
				}
			}
		})
	}
}

// The addresses and topics that each new log is compared with are bounded for a client, for its wider networks and for
// all clients, of filters and subscriptions together. What ends makes room. spec: rpc 9.7
func TestCriteriaAreBounded(t *testing.T) {
	query := FilterCriteria{
		Addresses: make([]common.Address, 2), Topics: [][]common.Hash{make([]common.Hash, 1), nil, make([]common.Hash, 1)},
	}
	bounds := Bounds{Filters: 100, PerClient: 100, Items: 10, Bytes: 1000, Criteria: 64, CriteriaPerClient: 8}
	inBubble(t, bounds, func(t *testing.T, _ *testBackend, b *BoundedAPI) {
		install := func(refused string, clients ...string) rpc.ID {
			t.Helper()
			id, err := b.InstallLogs(clients, query)
			var coded rpc.Error
			if refused == "" && err != nil {
				t.Errorf("%v: %v", clients, err)
			} else if refused != "" && (err == nil || !strings.Contains(err.Error(), refused) || !errors.As(err, &coded) ||
				coded.ErrorCode() != -32005) {
				t.Errorf("%v: error %v, want %q", clients, err, refused)
			}
			return id
		}
		first := install("", "a", "wide")
		install("", "a", "wide")
		install("this client", "a", "wide")
		if !b.UninstallFilter(first) {
			t.Error("the first filter is gone")
		}
		time.Sleep(2 * time.Second) // filters are counted each second
		synctest.Wait()
		for range 7 {
			install("", fmt.Sprint(len(b.held)), "wide")
		}
		install("this client", "other", "wide") // 32 of the wide network
		install("", "else")
		install("", "else")
		for n := range 6 {
			install("", fmt.Sprint("one more ", n))
		}
		install("of all clients", "third")
		if b.asked != 64 || len(b.held) != 16 {
			t.Errorf("%d criteria of %d filters are counted", b.asked, len(b.held))
		}
		if _, err := b.SubscribeLogs(t.Context(), []string{"third"}, query); err == nil ||
			!strings.Contains(err.Error(), "of all clients") {
			t.Errorf("subscription: %v", err)
		}
	})
}

// The clients of a wide network leave half of all filters, addresses and topics to others. spec: rpc 9.7
func TestWideNetworkLeavesHalf(t *testing.T) {
	for name, bounds := range map[string]Bounds{
		"filters":  {Filters: 8, PerClient: 1, Items: 10, Bytes: 1000, Criteria: 1000, CriteriaPerClient: 1000},
		"criteria": {Filters: 1000, PerClient: 1000, Items: 10, Bytes: 1000, Criteria: 16, CriteriaPerClient: 2},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, bounds, func(t *testing.T, _ *testBackend, b *BoundedAPI) {
				query := FilterCriteria{Addresses: make([]common.Address, 2)}
				made := 0
				for n := range 8 {
					clients := []string{fmt.Sprint("address ", n), fmt.Sprint("household ", n), "site"}
					if _, err := b.InstallLogs(clients, query); err == nil {
						made++
					}
				}
				if made != 4 {
					t.Errorf("one site has %d of 8, want 4", made)
				}
				if _, err := b.InstallLogs([]string{"another address", "another household", "another site"}, query); err != nil {
					t.Errorf("another site: %v", err)
				}
			})
		})
	}
}
