// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package filters

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/consensus/ethash"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/filtermaps"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/internal/ethapi"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/ethereum/go-ethereum/trie"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// storedBackend is a backend over an Anzeon chain whose blocks were written and not executed.
type storedBackend struct {
	*testBackend
	chain *core.BlockChain
	index *filtermaps.FilterMaps
}

func (b *storedBackend) ChainConfig() *params.ChainConfig { return b.chain.Config() }
func (b *storedBackend) BlockChain() *core.BlockChain     { return b.chain }
func (b *storedBackend) CurrentView() *filtermaps.ChainView {
	return b.view(b.CurrentHeader().Number.Uint64())
}
func (b *storedBackend) NewMatcherBackend() filtermaps.MatcherBackend {
	return b.index.NewMatcherBackend()
}

func (b *storedBackend) view(head uint64) *filtermaps.ChainView {
	return filtermaps.NewChainView(b.chain, head, rawdb.ReadCanonicalHash(b.db, head))
}

func anzeonConfig() *params.ChainConfig {
	contract := func(low byte) *params.SystemContract {
		return &params.SystemContract{Address: common.BytesToAddress([]byte{0x10, low}), Version: "v1"}
	}
	zero := func() *big.Int { return new(big.Int) }
	return &params.ChainConfig{
		ChainID: big.NewInt(8283), HomesteadBlock: zero(), EIP150Block: zero(), EIP155Block: zero(), EIP158Block: zero(),
		ByzantiumBlock: zero(), ConstantinopleBlock: zero(), PetersburgBlock: zero(), IstanbulBlock: zero(),
		MuirGlacierBlock: zero(), BerlinBlock: zero(), LondonBlock: zero(), ApplepieBlock: zero(), BohoBlock: zero(),
		Anzeon: &params.AnzeonConfig{
			WBFT: &params.WBFTConfig{
				RequestTimeoutSeconds: 2, BlockPeriodSeconds: 1, EpochLength: 10, ProposerPolicy: new(uint64),
			},
			Init: &params.WBFTInit{Validators: make([]common.Address, 1), BLSPublicKeys: []hexutil.Bytes{make([]byte, 48)}},
			SystemContracts: &params.SystemContracts{
				NativeCoinAdapter: contract(0), GovValidator: contract(1), GovMasterMinter: contract(2),
				GovMinter: contract(3), GovCouncil: contract(4),
			},
		},
	}
}

// newStoredBackend returns a backend over blocks 1 to blocks, and all their logs. fill makes the receipts of a block.
func newStoredBackend(
	t testing.TB, blocks int, fill func(number int) []types.Receipts,
) (*storedBackend, *FilterSystem, []*types.Log) {
	t.Helper()
	return newBackendOver(t, rawdb.NewMemoryDatabase(), blocks, fill)
}

// newBackendOver is newStoredBackend with a database. Transactions have values and signatures of random bytes.
func newBackendOver(
	t testing.TB, db ethdb.Database, blocks int, fill func(number int) []types.Receipts,
) (*storedBackend, *FilterSystem, []*types.Log) {
	t.Helper()
	random := rand.NewChaCha8([32]byte{})
	word := func() *big.Int {
		var w [32]byte
		_, _ = random.Read(w[:]) // never fails
		return new(big.Int).SetBytes(w[:])
	}
	config := anzeonConfig()
	genesis := &core.Genesis{Config: config, Difficulty: common.Big1, BaseFee: big.NewInt(1)}
	chain := must.Get(core.NewBlockChain(db, genesis, ethash.NewFaker(), core.DefaultConfig()))(t)
	t.Cleanup(chain.Stop)
	var all []*types.Log
	parent := chain.Genesis().Hash()
	for number := 1; number <= blocks; number++ {
		var (
			receipts types.Receipts
			body     types.Body
			index    uint
		)
		for i, list := range fill(number) {
			receipts = append(receipts, list...)
			for range list {
				to, nonce, value := common.BigToAddress(word()), uint64(number<<16|i), big.NewInt(int64(random.Uint64()>>20))
				r, s := word(), word()
				var data types.TxData = &types.LegacyTx{
					Nonce: nonce, To: &to, GasPrice: common.Big1, Value: value, V: common.Big1, R: r, S: s,
				}
				if i%2 == 0 {
					data = &types.DynamicFeeTx{
						ChainID: config.ChainID, Nonce: nonce, To: &to, GasTipCap: common.Big1, GasFeeCap: common.Big1,
						Value: value, V: common.Big1, R: r, S: s,
					}
				}
				body.Transactions = append(body.Transactions, types.NewTx(data))
			}
		}
		var bloom types.Bloom
		for i, r := range receipts {
			r.Status, r.CumulativeGasUsed = 1, uint64(i+1)*21000
			r.Bloom = types.CreateBloom(r)
			for j := range bloom {
				bloom[j] |= r.Bloom[j]
			}
		}
		header := &types.Header{
			ParentHash: parent, Number: big.NewInt(int64(number)), Time: uint64(1000 + number),
			Difficulty: common.Big1, BaseFee: common.Big1,
		}
		block := types.NewBlock(header, &body, receipts, trie.NewStackTrie(nil))
		require.True(t, block.Bloom() == bloom, "the bloom is another one")
		for i, r := range receipts {
			for _, l := range r.Logs {
				full := *l
				full.BlockHash, full.BlockNumber, full.BlockTimestamp = block.Hash(), uint64(number), block.Time()
				full.TxHash, full.TxIndex, full.Index = body.Transactions[i].Hash(), uint(i), index
				index++
				all = append(all, &full)
			}
		}
		rawdb.WriteBlock(db, block)
		rawdb.WriteReceipts(db, block.Hash(), block.NumberU64(), receipts)
		rawdb.WriteCanonicalHash(db, block.Hash(), block.NumberU64())
		rawdb.WriteHeadBlockHash(db, block.Hash())
		rawdb.WriteHeadHeaderHash(db, block.Hash())
		parent = block.Hash()
	}
	b := &storedBackend{testBackend: &testBackend{db: db}, chain: chain}
	return b, NewFilterSystem(b, Config{}), all
}

// indexUpTo makes the log index of the first blocks, or none.
func (b *storedBackend) indexUpTo(t testing.TB, head uint64, disabled bool) {
	t.Helper()
	config := filtermaps.Config{Disabled: disabled}
	index := must.Get(filtermaps.NewFilterMaps(b.db, b.view(head), 0, 0, filtermaps.DefaultParams, config))(t)
	index.Start()
	index.WaitIdle()
	index.Stop()
	b.index = index
}

var (
	coin     = common.Address{19: 0x10}
	transfer = common.Hash{0xdd}
)

func account(n int) common.Hash { return common.Hash{30: byte(n >> 8), 31: byte(n)} }

// transferLog is the log of a transfer of coins between two accounts.
func transferLog(from, to common.Hash) *types.Log {
	return &types.Log{Address: coin, Topics: []common.Hash{transfer, from, to}, Data: make([]byte, 32)}
}

// randomBlock makes receipts. Most have the coin's log about two of many accounts, the others a log of one of few
// contracts with random topics.
func randomBlock(random *rand.Rand, receipts int) (list []types.Receipts) {
	for range receipts {
		r := &types.Receipt{Logs: []*types.Log{}}
		for range 1 + random.IntN(2) {
			l := transferLog(account(random.IntN(2000)), account(random.IntN(2000)))
			if random.IntN(5) == 0 {
				contract := common.Address{byte(random.IntN(4))}
				l = &types.Log{Address: contract, Topics: []common.Hash{}, Data: make([]byte, random.IntN(100))}
				for range random.IntN(5) {
					l.Topics = append(l.Topics, account(random.IntN(5)))
				}
			}
			r.Logs = append(r.Logs, l)
		}
		list = append(list, types.Receipts{r})
	}
	return list
}

// A query returns exactly what a scan of all logs returns, whichever blocks are indexed. Queries have several addresses
// and topics, positions with any topic, and positions that no log has. The index is stopped, as it is during its start,
// because no query may wait for it. spec: rpc 2.6
func TestSearchAsPlainScan(t *testing.T) {
	const blocks = 40
	random := rand.New(rand.NewPCG(1, 2))
	b, system, all := newStoredBackend(t, blocks, func(number int) []types.Receipts {
		switch {
		case number%7 == 0:
			return nil
		case number%5 == 0:
			return randomBlock(random, 20)
		}
		return randomBlock(random, 700)
	})
	oneOf := func(n, accounts int) (list []common.Hash) {
		for range n {
			list = append(list, account(random.IntN(accounts)))
		}
		return list
	}
	type query struct {
		addresses []common.Address
		topics    [][]common.Hash
		from, to  int64
	}
	queries := []query{
		{[]common.Address{coin}, [][]common.Hash{{transfer}, nil, {account(7)}}, 1, blocks},
		{[]common.Address{coin}, [][]common.Hash{{transfer}, {account(7)}}, 1, blocks},
		{nil, nil, 1, blocks},
		{nil, [][]common.Hash{nil, nil, nil, nil}, 1, blocks},
		{[]common.Address{{99}}, nil, 1, blocks},
	}
	for range 150 {
		var q query
		for range random.IntN(3) {
			q.addresses = append(q.addresses, []common.Address{coin, {1}, {2}, {77}}[random.IntN(4)])
		}
		for range random.IntN(5) {
			q.topics = append(q.topics, [][]common.Hash{
				nil, {transfer}, oneOf(1, 2000), oneOf(3, 2000), oneOf(2, 5),
			}[random.IntN(5)])
		}
		q.from = 1 + random.Int64N(blocks)
		q.to = q.from + random.Int64N(blocks+1-q.from)
		queries = append(queries, q)
	}
	for _, state := range []struct {
		name     string
		indexed  uint64
		disabled bool
	}{{"all indexed", blocks, false}, {"some indexed", 23, false}, {"index disabled", blocks, true}} {
		t.Run(state.name, func(t *testing.T) {
			b.indexUpTo(t, state.indexed, state.disabled)
			found := 0
			for _, q := range queries {
				got, err := system.NewRangeFilter(q.from, q.to, q.addresses, q.topics, 0).Logs(t.Context())
				require.NoError(t, err, q)
				found += len(got)
				want := filterLogs(all, big.NewInt(q.from), big.NewInt(q.to), q.addresses, q.topics)
				a, b := encoded(t, got), encoded(t, want)
				require.Truef(t, a == b, "%v: %d logs, want %d", q, len(got), len(want))
			}
			assert.True(t, found != 0, "no query found a log")
			rawdb.DeleteFilterMapsRange(b.db) // the next index begins at the start
		})
	}
}

func encoded(t testing.TB, logs []*types.Log) string {
	t.Helper()
	if len(logs) == 0 {
		return ""
	}
	text := must.Get(json.Marshal(logs))(t)
	return string(text)
}

// Of a block without receipts, and of one whose bloom excludes the query, nothing is read but the first fields of the
// header: all that follows, and the rest of the block, is missing here. spec: rpc 2.6
func TestSearchReadsNothingOfExcludedBlocks(t *testing.T) {
	b, system, _ := newStoredBackend(t, 9, func(number int) []types.Receipts {
		if number%2 == 0 {
			return nil
		}
		address := common.Address{byte(number)}
		return []types.Receipts{{{Logs: []*types.Log{{Address: address, Topics: []common.Hash{}}}}}}
	})
	b.indexUpTo(t, 9, true)
	cut := func(number uint64) {
		h := rawdb.ReadHeader(b.db, rawdb.ReadCanonicalHash(b.db, number), number)
		fields := []any{h.ParentHash, h.UncleHash, h.Coinbase, h.Root, h.TxHash, h.ReceiptHash, h.Bloom}
		text := must.Get(rlp.EncodeToBytes(fields))(t)
		hash := rawdb.ReadCanonicalHash(b.db, number)
		rawdb.DeleteBlockWithoutNumber(b.db, hash, number)
		must.Do(t, b.db.Put(append(binary.BigEndian.AppendUint64([]byte("h"), number), hash[:]...), text))
	}
	for _, number := range []uint64{2, 4, 5, 8} {
		cut(number)
	}
	for _, row := range []struct {
		name      string
		addresses []common.Address
		from      int64
		logs      int // -1 for an error
	}{
		{"one address", []common.Address{{3}}, 1, 1},
		{"any log", nil, 6, 2},
		{"an address of a block that is gone", []common.Address{{5}}, 1, -1},
	} {
		t.Run(row.name, func(t *testing.T) {
			logs, err := system.NewRangeFilter(row.from, 9, row.addresses, nil, 0).Logs(t.Context())
			assert.Truef(t, (err != nil) == (row.logs < 0) && (err != nil || len(logs) == row.logs),
				"%d logs, want %d: %v", len(logs), row.logs, err)
		})
	}
}

// A query over a block that was stored without its receipts is an error that names the block, unless its header
// excludes the filter. It is never an answer without its logs, also where the index has passed the block and after a
// restart. spec: network 2.3
func TestLogsOfMissingReceipts(t *testing.T) {
	b, system, all := newStoredBackend(t, 9, func(int) []types.Receipts {
		return []types.Receipts{{{Logs: []*types.Log{{Address: coin, Topics: []common.Hash{transfer}}}}}}
	})
	bare := rawdb.ReadCanonicalHash(b.db, 4)
	rawdb.WriteReceipts(b.db, bare, 4, nil)
	for _, state := range []struct {
		name     string
		disabled bool
	}{{"indexed", false}, {"not indexed", true}} {
		t.Run(state.name, func(t *testing.T) {
			b.indexUpTo(t, 9, state.disabled)
			for _, tt := range []struct {
				name    string
				filter  *Filter
				missing bool
				logs    int
			}{
				{"its log", system.NewRangeFilter(1, 9, []common.Address{coin}, nil, 0), true, 0},
				{"any log", system.NewRangeFilter(1, int64(rpc.LatestBlockNumber), nil, nil, 0), true, 0},
				{"the block", system.NewBlockFilter(bare, nil, [][]common.Hash{{transfer}}), true, 0},
				{"excluded", system.NewRangeFilter(1, 9, []common.Address{{99}}, nil, 0), false, 0},
				{"other blocks", system.NewRangeFilter(5, 9, []common.Address{coin}, nil, 0), false, 5},
			} {
				logs, err := tt.filter.Logs(t.Context())
				switch {
				case tt.missing && (!errors.Is(err, core.ErrReceiptsMissing) || !strings.Contains(err.Error(), "block 4 ")):
					t.Errorf("%s: %d of %d logs, error %v", tt.name, len(logs), len(all), err)
				case !tt.missing && (err != nil || len(logs) != tt.logs):
					t.Errorf("%s: %d logs, error %v", tt.name, len(logs), err)
				}
			}
		})
	}
}

// An answer is bounded while blocks are searched, whether the index names these or not. spec: rpc 9.7
func TestAllowanceOfSearch(t *testing.T) {
	b, system, all := newStoredBackend(t, 10, func(int) []types.Receipts {
		return []types.Receipts{{{Logs: []*types.Log{{Address: coin, Topics: []common.Hash{}}}}}}
	})
	for _, disabled := range []bool{false, true} {
		t.Run(fmt.Sprintf("disabled %v", disabled), func(t *testing.T) {
			b.indexUpTo(t, 10, disabled)
			enough := len(all) * ethapi.SizeOfLog(new(types.Log))
			for bytes, exceeds := range map[int]bool{enough: false, enough - 1: true} {
				ctx, exceeded := WithAllowance(t.Context(), bytes)
				logs, err := system.NewRangeFilter(0, int64(rpc.LatestBlockNumber), []common.Address{coin}, nil, 0).Logs(ctx)
				assert.Truef(t, (err != nil) == exceeds && exceeded() == exceeds && (exceeds || len(logs) == len(all)),
					"%d bytes: %d logs, %v", bytes, len(logs), err)
			}
		})
	}
}
