// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/lru"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/ethdb/pebble"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// searchedBlock returns a block with its receipts and all its logs, whose fields are made without the code under test.
// Addresses and topics are few, so that filters find some.
func searchedBlock(random *rand.Rand, number int64, txs int) (*types.Block, types.Receipts, []*types.Log) {
	var (
		body     types.Body
		receipts types.Receipts
		all      []*types.Log
	)
	for i := range txs {
		r := &types.Receipt{Status: random.Uint64N(2), CumulativeGasUsed: random.Uint64() >> random.IntN(64)}
		if random.IntN(8) == 0 {
			r.PostState = common.Hash{byte(i)}.Bytes() // the form before Byzantium
		}
		for range random.IntN(4) {
			sizes := []int{0, 1, 32, 55, 56, 255, 256, 70_000}
			l := &types.Log{
				Address: common.Address{byte(random.IntN(3))}, Topics: []common.Hash{},
				Data: make([]byte, sizes[random.IntN(len(sizes))]),
			}
			for j := range l.Data {
				l.Data[j] = byte(random.Uint32())
			}
			for range random.IntN(5) {
				l.Topics = append(l.Topics, common.Hash{31: byte(random.IntN(3))})
			}
			r.Logs = append(r.Logs, l)
		}
		receipts = append(receipts, r)
		data := make([]byte, random.IntN(600))
		body.Transactions = append(body.Transactions, types.NewTx([]types.TxData{
			&types.LegacyTx{Nonce: uint64(i), GasPrice: common.Big1, Data: data},
			&types.DynamicFeeTx{Nonce: uint64(i), GasTipCap: common.Big1, GasFeeCap: common.Big1, Data: data},
		}[random.IntN(2)]))
	}
	block := types.NewBlockWithHeader(&types.Header{
		Number: big.NewInt(number), Time: uint64(random.Uint32()), Difficulty: common.Big1, TxHash: common.Hash{1},
	}).WithBody(body)
	for i, r := range receipts {
		for _, l := range r.Logs {
			full := *l
			full.BlockHash, full.BlockNumber, full.BlockTimestamp = block.Hash(), uint64(number), block.Time()
			full.TxHash, full.TxIndex, full.Index = body.Transactions[i].Hash(), uint(i), uint(len(all))
			all = append(all, &full)
		}
	}
	return block, receipts, all
}

// chainOver returns what a search needs of a chain.
func chainOver(db ethdb.Database) *BlockChain {
	return &BlockChain{
		db: db, chainConfig: proposalGenesis().Config, blockCache: lru.NewCache[common.Hash, *types.Block](1),
	}
}

// asked reports whether a query asks for a log.
func asked(l *types.Log, addresses []common.Address, topics [][]common.Hash) bool {
	if len(addresses) > 0 && !slices.Contains(addresses, l.Address) || len(topics) > len(l.Topics) {
		return false
	}
	for i, list := range topics {
		if len(list) > 0 && !slices.Contains(list, l.Topics[i]) {
			return false
		}
	}
	return true
}

func sameLogs(a, b []*types.Log) bool {
	return slices.EqualFunc(a, b, func(x, y *types.Log) bool {
		return slices.Equal(x.Topics, y.Topics) && string(x.Data) == string(y.Data) &&
			x.Address == y.Address && x.BlockHash == y.BlockHash && x.BlockNumber == y.BlockNumber &&
			x.BlockTimestamp == y.BlockTimestamp && x.TxHash == y.TxHash && x.TxIndex == y.TxIndex && x.Index == y.Index &&
			x.Removed == y.Removed && (x.Topics == nil) == (y.Topics == nil) && (x.Data == nil) == (y.Data == nil)
	})
}

// A filter finds the same logs in blocks that are kept and in those that are not, in the database and in the ancient
// store: those of a scan of all logs. spec: rpc 2.6
func TestFilterLogsAsPlainScan(t *testing.T) {
	kv := must.Get(pebble.New(t.TempDir(), 16, 16, "", false))(t)
	db := must.Get(rawdb.Open(kv, rawdb.OpenOptions{Ancient: t.TempDir()}))(t)
	t.Cleanup(func() { _ = db.Close() })
	const blocks, frozen = 30, 15
	random := rand.New(rand.NewPCG(3, 4))
	var (
		list     []*types.Block
		receipts []types.Receipts
		logs     [][]*types.Log
	)
	for number := range int64(blocks) {
		block, r, all := searchedBlock(random, number, random.IntN(40)+1)
		list, receipts, logs = append(list, block), append(receipts, r), append(logs, all)
		if number < frozen {
			encoded := types.EncodeBlockReceiptLists(receipts[number:])
			must.Get(rawdb.WriteAncientBlocks(db, list[number:], encoded))(t)
			continue
		}
		rawdb.WriteBlock(db, block)
		rawdb.WriteReceipts(db, block.Hash(), uint64(number), r)
	}
	bc, found := chainOver(db), 0
	for range 300 {
		var addresses []common.Address
		var topics [][]common.Hash
		for range random.IntN(3) {
			addresses = append(addresses, common.Address{byte(random.IntN(4))})
		}
		for range random.IntN(6) {
			var list []common.Hash
			for range random.IntN(3) {
				list = append(list, common.Hash{31: byte(random.IntN(4))})
			}
			topics = append(topics, list)
		}
		number := random.IntN(blocks)
		var want []*types.Log
		for _, l := range logs[number] {
			if asked(l, addresses, topics) {
				want = append(want, l)
			}
		}
		found += len(want)
		for _, keep := range []int64{0, keptOfSearch} {
			bc.stored = storedBlocks{}
			f := NewLogFilter(addresses, topics)
			f.toKeep.Store(keep)
			for _, when := range []string{"first", "again"} {
				got, err := bc.FilterLogs(list[number].Header(), f)
				if err != nil || !sameLogs(got, want) {
					t.Fatalf("block %d, may keep %d, %s, %v of %v: %d logs, want %d: %v",
						number, keep, when, topics, addresses, len(got), len(want), err)
				}
			}
			kept := bc.stored.receipts.has(list[number].Hash())
			require.Truef(t, kept == (keep > 0), "block %d, may keep %d: kept %v", number, keep, kept)
		}
	}
	assert.True(t, found != 0, "no query found a log")
}

// A search adds no more to the kept blocks than it may, and uses those that are kept. spec: rpc 2.6
func TestSearchKeepsALimitedPart(t *testing.T) {
	db := rawdb.NewMemoryDatabase()
	bc := chainOver(db)
	random := rand.New(rand.NewPCG(5, 6))
	var headers []*types.Header
	for number := range int64(20) {
		block, receipts, _ := searchedBlock(random, number, 40)
		rawdb.WriteBlock(db, block)
		rawdb.WriteReceipts(db, block.Hash(), uint64(number), receipts)
		headers = append(headers, block.Header())
	}
	const mayKeep = 3 << 20
	f := NewLogFilter(nil, nil)
	f.toKeep.Store(mayKeep)
	last := 0
	for range 2 {
		for _, h := range headers {
			before := bc.stored.receipts.bytes + bc.stored.bodies.bytes
			must.Get(bc.FilterLogs(h, f))(t)
			if after := bc.stored.receipts.bytes + bc.stored.bodies.bytes; after > before {
				last = after - before
				require.Truef(t, before <= mayKeep, "%d bytes are kept, and %d are added", before, last)
			}
		}
		if kept := bc.stored.receipts.bytes + bc.stored.bodies.bytes; kept < mayKeep || kept > mayKeep+last {
			t.Errorf("%d bytes are kept, want %d and at most one block more", kept, mayKeep)
		}
	}
}

// Receipts that are damaged, missing or of more transactions than the block has are the same error for a block that is
// not kept as for one that is. spec: rpc 2.6
func TestErrorsOfASearchInPlace(t *testing.T) {
	block, receipts, _ := searchedBlock(rand.New(rand.NewPCG(7, 8)), 7, 30)
	encoded := func(list types.Receipts) []byte { return types.EncodeBlockReceiptLists([]types.Receipts{list})[0] }
	text := func(v any) []byte {
		return must.Get(rlp.EncodeToBytes(v))(t)
	}
	body := func(txs types.Transactions) []byte { return text(&types.Body{Transactions: txs}) }
	type list = []any
	odd := func(topics list, more ...any) []byte {
		logs := list{list{common.Address{1}, topics, []byte{1, 2}}}
		return text(list{append(list{uint(1), uint(21000), logs}, more...)})
	}
	whole, all := encoded(receipts), body(block.Transactions())
	for _, row := range []struct {
		name           string
		receipts, body []byte
		is             error
		text           string
	}{
		{"no receipts", nil, all, nil, "receipts of block 7 "},
		{"taken without receipts", rlp.EmptyList, all, ErrReceiptsMissing, "block 7 "},
		{"receipts cut", whole[:len(whole)-2], all, errStoredForm, "block 7 "},
		{"a byte behind the receipts", append(slices.Clone(whole), 0x80), all, errStoredForm, "block 7 "},
		{"a receipt of five items", odd(list{}, uint(7), uint(8)), all, errStoredForm, "block 7 "},
		{"topics of other sizes", odd(list{make([]byte, 31), []byte{1}}), all, errStoredForm, "block 7 "},
		{"no body", whole, nil, nil, "transactions of block 7 "},
		{"body cut", whole, all[:len(all)-2], errStoredBody, ""},
		{"body without a transaction", whole, body(block.Transactions()[:29]), nil, "more than its 29 transactions"},
		{"empty body", whole, body(nil), nil, "more than its 0 transactions"},
	} {
		t.Run(row.name, func(t *testing.T) {
			db := rawdb.NewMemoryDatabase()
			bc := chainOver(db)
			if row.receipts != nil {
				rawdb.WriteRawReceipts(db, block.Hash(), 7, row.receipts)
			}
			if row.body != nil {
				rawdb.WriteBodyRLP(db, block.Hash(), 7, row.body)
			}
			var texts []string
			for _, keep := range []int64{0, keptOfSearch} {
				f := NewLogFilter(nil, nil)
				f.toKeep.Store(keep)
				logs, err := bc.FilterLogs(block.Header(), f)
				require.Truef(t, err != nil && (row.is == nil || errors.Is(err, row.is)) && strings.Contains(err.Error(), row.text),
					"may keep %d: %d logs, error %v", keep, len(logs), err)
				texts = append(texts, err.Error())
			}
			assert.Truef(t, texts[0] == texts[1], "not kept: %s\nkept: %s", texts[0], texts[1])
		})
	}
}

// Of receipts with a changed byte, a search in place finds what a search in kept receipts finds, or both fail. Neither
// panics. The same holds for the hashes of transactions of a changed body.
func TestDamageIsTheSameInPlace(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	var raw, body []byte
	for len(raw) < 1000 || len(raw) > 5000 { // one without the longest logs
		block, receipts, _ := searchedBlock(random, 1, 8)
		raw = types.EncodeBlockReceiptLists([]types.Receipts{receipts})[0]
		body, _ = rlp.EncodeToBytes(block.Body())
	}
	all := NewLogFilter(nil, nil)
	for i := range raw {
		for _, flip := range []byte{0x01, 0x40, 0x80} {
			raw[i] ^= flip
			got, gotErr := searchReceipts(raw, all)
			var want []*types.Log
			kept, wantErr := newStoredReceipts(raw)
			if wantErr == nil {
				want, wantErr = kept.Logs(all)
			}
			require.Truef(t, (gotErr != nil) == (wantErr != nil) && (gotErr != nil || sameLogs(got, want)),
				"byte %d ^ %#x: %d logs, %v, kept %d logs, %v", i, flip, len(got), gotErr, len(want), wantErr)
			raw[i] ^= flip
		}
	}
	for i := range body {
		for _, flip := range []byte{0x01, 0x40, 0x80} {
			body[i] ^= flip
			walk := newBodyWalk(body)
			kept, err := newStoredBody(body)
			for tx := 0; ; tx += 3 {
				hash, ok := walk.hash(tx)
				if err == nil && (ok != (tx < kept.count()) || ok && hash != kept.hash(tx)) {
					t.Fatalf("byte %d ^ %#x: transaction %d: %x, %v", i, flip, tx, hash, ok)
				}
				if !ok {
					break
				}
			}
			body[i] ^= flip
		}
	}
}

// fullBlock returns a block of 5,000 transfers between 1,000 accounts, and its receipts. Amounts and signatures are
// random bytes.
func fullBlock(random *rand.Rand, number int64) (*types.Block, types.Receipts) {
	word := func(size int) []byte {
		w := make([]byte, size)
		for i := range w {
			w[i] = byte(random.Uint32())
		}
		return w
	}
	account := func(n int) common.Hash {
		return common.BytesToHash(crypto.Keccak256([]byte{byte(n), byte(n >> 8)})[12:])
	}
	var body types.Body
	var receipts types.Receipts
	for i := range 5000 {
		to, amount := account(i%1000), common.BytesToHash(word(6))
		receiver := common.BytesToAddress(to[:])
		receipts = append(receipts, &types.Receipt{Status: 1, CumulativeGasUsed: uint64(i+1) * 21000, Logs: []*types.Log{{
			Address: common.Address{18: 0x10}, Topics: []common.Hash{{0xdd}, account(random.IntN(1000)), to}, Data: amount[:],
		}}})
		body.Transactions = append(body.Transactions, types.NewTx(&types.DynamicFeeTx{
			ChainID: big.NewInt(8283), Nonce: uint64(random.IntN(1000)), To: &receiver, Gas: 21000,
			GasTipCap: big.NewInt(1e9), GasFeeCap: big.NewInt(1e12), Value: amount.Big(),
			V: common.Big1, R: new(big.Int).SetBytes(word(32)), S: new(big.Int).SetBytes(word(32)),
		}))
	}
	header := &types.Header{Number: big.NewInt(number), Difficulty: common.Big1, TxHash: common.Hash{1}}
	return types.NewBlockWithHeader(header).WithBody(body), receipts
}

// BenchmarkFilterLogs finds the five logs of one account in full blocks that are not kept: in a database whose cache is
// smaller than the blocks, and in the ancient store. The operating system has the files in memory. The rows "read" are
// what no search can save: receipts and transactions are read and decompressed.
func BenchmarkFilterLogs(b *testing.B) {
	kv := must.Get(pebble.New(b.TempDir(), 16, 128, "", false))(b)
	db := must.Get(rawdb.Open(kv, rawdb.OpenOptions{Ancient: b.TempDir()}))(b)
	b.Cleanup(func() { _ = db.Close() })
	const blocks = 100 // in the database, and as many in the ancient store
	random := rand.New(rand.NewPCG(11, 12))
	var headers []*types.Header
	for number := range int64(2 * blocks) {
		block, receipts := fullBlock(random, number)
		headers = append(headers, block.Header())
		if number < blocks {
			encoded := types.EncodeBlockReceiptLists([]types.Receipts{receipts})
			must.Get(rawdb.WriteAncientBlocks(db, []*types.Block{block}, encoded))(b)
			continue
		}
		rawdb.WriteBlock(db, block)
		rawdb.WriteReceipts(db, block.Hash(), uint64(number), receipts)
	}
	must.Do(b, kv.Compact(nil, nil))
	bc := chainOver(db)
	account := common.BytesToHash(crypto.Keccak256([]byte{7, 0})[12:])
	search := func(h *types.Header) error {
		bc.stored = storedBlocks{}
		f := NewLogFilter([]common.Address{{18: 0x10}}, [][]common.Hash{{{0xdd}}, nil, {account}})
		f.toKeep.Store(0)
		logs, err := bc.FilterLogs(h, f)
		if err == nil && len(logs) != 5 {
			err = fmt.Errorf("%d logs", len(logs))
		}
		return err
	}
	read := func(h *types.Header) error {
		view := func(encoded []byte) error {
			if len(encoded) == 0 {
				return errors.New("a part of a block is missing")
			}
			return nil
		}
		hash, number := h.Hash(), h.Number.Uint64()
		return errors.Join(rawdb.ViewReceiptsRLP(db, hash, number, view), rawdb.ViewBodyRLP(db, hash, number, view))
	}
	for _, run := range []struct {
		name    string
		headers []*types.Header
		do      func(*types.Header) error
	}{
		{"database", headers[blocks:], search},
		{"database/read", headers[blocks:], read},
		{"ancient", headers[:blocks], search},
		{"ancient/read", headers[:blocks], read},
	} {
		b.Run(run.name, func(b *testing.B) {
			before := cpuTime(b)
			for b.Loop() {
				for _, h := range run.headers {
					must.Do(b, run.do(h))
				}
			}
			b.ReportMetric(float64((cpuTime(b)-before).Microseconds())/float64(b.N*blocks), "cpu-us/block")
		})
	}
}

// cpuTime returns the processor time that the process has used on all cores.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var r syscall.Rusage
	must.Do(b, syscall.Getrusage(syscall.RUSAGE_SELF, &r))
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
