// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package filters

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"sync"
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
	"github.com/ethereum/go-ethereum/internal/ethapi"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/ethereum/go-ethereum/triedb"
	"github.com/stretchr/testify/assert"
)

// inBubble runs a test of bounded filters over a backend, with time that passes at once, and ends what it has started.
func inBubble(
	t *testing.T, door rpc.Door, bounds Bounds, test func(t *testing.T, backend *testBackend, b *BoundedAPI),
) {
	synctest.Test(t, func(t *testing.T) {
		db := rawdb.NewMemoryDatabase()
		genesis := (&core.Genesis{Config: params.TestChainConfig}).ToBlock()
		rawdb.WriteBlock(db, genesis)
		rawdb.WriteCanonicalHash(db, genesis.Hash(), 0)
		rawdb.WriteHeadBlockHash(db, genesis.Hash())
		backend, system := newTestFilterSystem(db, Config{LogQueryLimit: 3})
		b := NewBoundedAPI(system, door, bounds)
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

// testDoor is a door that counts shares without a bound, and remembers how to displace them. It adds up what owners are
// charged.
type testDoor struct {
	rpc.Door
	full error // refuses what is added

	mu     sync.Mutex
	shares []*testShare
	used   map[string]time.Duration
}

type testShare struct {
	door  *testDoor
	of    rpc.Resource
	evict func()
	n     int
}

func (d *testDoor) Share(of rpc.Resource, _ rpc.Owner, evict func()) rpc.Share {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := &testShare{door: d, of: of, evict: evict}
	d.shares = append(d.shares, s)
	return s
}

func (d *testDoor) Used(owner rpc.Owner, _ string, elapsed time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.used == nil {
		d.used = make(map[string]time.Duration)
	}
	d.used[owner[0]] += elapsed
}

// counted returns how much of a resource is counted.
func (d *testDoor) counted(of rpc.Resource) (all int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.shares {
		if s.of == of {
			all += s.n
		}
	}
	return all
}

func (s *testShare) Add(n int) error {
	s.door.mu.Lock()
	defer s.door.mu.Unlock()
	if s.door.full != nil {
		return s.door.full
	}
	s.n += n
	return nil
}

func (s *testShare) Release() {
	s.door.mu.Lock()
	defer s.door.mu.Unlock()
	s.n = 0
}

// Filters, and the addresses and topics of filters and subscriptions, are counted by the door for as long as they are
// there. One that is displaced is gone, and one that finds no room is not made. spec: rpc 9.7
func TestFiltersAreCounted(t *testing.T) {
	door := new(testDoor)
	query := FilterCriteria{Addresses: make([]common.Address, 2), Topics: [][]common.Hash{make([]common.Hash, 1)}}
	large := FilterCriteria{Topics: [][]common.Hash{make([]common.Hash, 3), make([]common.Hash, filterCriteria)}}
	inBubble(t, door, Bounds{Items: 10, Bytes: 1000}, func(t *testing.T, _ *testBackend, b *BoundedAPI) {
		b.logQueryLimit, b.sys.cfg.LogQueryLimit = filterCriteria, filterCriteria
		expect := func(filters, criteria int) {
			t.Helper()
			synctest.Wait()
			have := door.counted(rpc.Criteria)
			if have != criteria || len(b.watches) != filters || len(b.filters) != filters {
				t.Errorf("%d filters of %d with %d criteria are counted; want %d with %d", len(b.watches), len(b.filters), have,
					filters, criteria)
			}
		}
		first := must.Get(b.InstallLogs(rpc.Owner{"a"}, query))(t)
		must.Get(b.Install(rpc.Owner{"b"}, nil, pendingFilter(b, false)))(t)
		must.Get(b.InstallLogs(rpc.Owner{"c"}, large))(t)
		expect(3, 3*filterCriteria+3)
		assert.True(t, b.UninstallFilter(first), "the first filter is gone")
		time.Sleep(2 * time.Second) // filters are counted each second
		expect(2, 2*filterCriteria+3)
		for _, s := range door.shares {
			if s.of == rpc.Criteria && s.n > 0 {
				s.n = 0 // as an account does
				s.evict()
			}
		}
		expect(0, 0)
		door.full = errors.New("no room")
		_, err := b.InstallLogs(rpc.Owner{"d"}, query)
		assert.Truef(t, hasCode(err, -32005, "no room"), "without room: %v", err)
		_, err = b.SubscribeLogs(t.Context(), rpc.Owner{"d"}, query)
		assert.Truef(t, hasCode(err, -32005, "no room"), "a subscription without room: %v", err)
		door.full = nil
		expect(0, 0)
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
	fiveInFull := 5 * ethapi.SizeOfTx(transaction)
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
		{"hashes by number", Bounds{Items: 5, Bytes: 1e6}, false, false},
		{"hashes by bytes", Bounds{Items: 100, Bytes: 5 * ethapi.SizeOfHash}, false, false},
		{"transactions by number", Bounds{Items: 5, Bytes: 1e6}, false, true},
		{"transactions by bytes", Bounds{Items: 100, Bytes: fiveInFull}, false, true},
		{"logs by number", Bounds{Items: 5, Bytes: 1e6}, true, false},
		{"logs by bytes", Bounds{Items: 100, Bytes: 5 * ethapi.SizeOfLog(l)}, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, new(testDoor), tt.bounds, func(t *testing.T, backend *testBackend, b *BoundedAPI) {
				var id rpc.ID
				var err error
				if tt.logs {
					id, err = b.InstallLogs(rpc.Owner{"a"}, FilterCriteria{})
				} else {
					id, err = b.Install(rpc.Owner{"a"}, nil, pendingFilter(b, tt.full))
				}
				must.Do(t, err)
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
					assert.Truef(t, err == nil && json.Unmarshal(encoded, &entries) == nil && len(entries) == want,
						"polled %d entries (%v), want %d", len(entries), err, want)
				}
				come(3)
				come(2)
				poll(5) // as many as it may hold
				come(5)
				poll(5) // and as many again
				come(3)
				come(3)
				_, err = b.Changes(id)
				assert.Truef(t, hasCode(err, -32003, "filter overflowed"), "polled too late: %v", err)
				assert.True(t, b.Overflow(id) != nil && b.Overflow("another") == nil, "another filter has overflowed")
				assert.True(t, b.filters[id] == nil, "the filter is still there")
			})
		})
	}
}

// A filter's query is bounded like that of eth_getLogs: it is kept for as long as the filter. spec: rpc 9.7
func TestQueriesOfFilters(t *testing.T) {
	bounds := Bounds{Items: 5, Bytes: 1000}
	inBubble(t, new(testDoor), bounds, func(t *testing.T, _ *testBackend, b *BoundedAPI) {
		for name, tt := range map[string]struct {
			query FilterCriteria
			want  error
		}{
			"addresses":          {FilterCriteria{Addresses: make([]common.Address, 3)}, nil},
			"too many addresses": {FilterCriteria{Addresses: make([]common.Address, 4)}, errExceedLogQueryLimit},
			"topics":             {FilterCriteria{Topics: [][]common.Hash{make([]common.Hash, 3)}}, nil},
			"too many topics":    {FilterCriteria{Topics: [][]common.Hash{nil, make([]common.Hash, 4)}}, errExceedLogQueryLimit},
		} {
			_, err := b.InstallLogs(rpc.Owner{"a"}, tt.query)
			assert.ErrorIsf(t, err, tt.want, "%s", name)
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
		encoded := must.Get(json.Marshal(l))(t)
		have, real := ethapi.SizeOfLog(l), len(encoded)+1
		assert.Truef(t, have >= real && have <= real*6/5, "a log of %d bytes is counted as %d", real, have)
	}
	ctx, exceeded := WithAllowance(t.Context(), 2*ethapi.SizeOfLog(new(types.Log)))
	for i, want := range []bool{false, false, true, true} {
		err := spend(ctx, new(types.Log))
		assert.Truef(t, (err != nil) == want && exceeded() == want, "log %d: %v", i, err)
	}
	assert.NoError(t, spend(t.Context(), &types.Log{Data: make([]byte, 100_000)}), "without an allowance")
}

// A query that the index answers is bounded while its logs are looked up, one that it does not while blocks are read.
func TestAllowanceOfQueries(t *testing.T) {
	const blocks = 10
	emitter := common.Address{0xe}
	key := must.Get(crypto.ToECDSA(common.BigToHash(common.Big1).Bytes()))(t)
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
			enough := blocks * ethapi.SizeOfLog(new(types.Log))
			for bytes, exceeds := range map[int]bool{enough: false, enough - 1: true} {
				ctx, exceeded := WithAllowance(t.Context(), bytes)
				logs, err := system.NewRangeFilter(0, int64(rpc.LatestBlockNumber), []common.Address{emitter}, nil, 0).Logs(ctx)
				assert.Truef(t, (err != nil) == exceeds && exceeded() == exceeds && (exceeds || len(logs) == blocks),
					"%d bytes: %d logs, %v", bytes, len(logs), err)
			}
		})
	}
}
