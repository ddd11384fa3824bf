// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rawdb

import (
	"bytes"
	"errors"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/ethdb/pebble"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/metrics"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is viewed is what is read: in each kind of database, in the ancient store, and for what is not there. An error
// of the view is returned, and it is called once. spec: rpc 2.6
func TestViewsAreWhatIsRead(t *testing.T) {
	onDisk := func() ethdb.KeyValueStore {
		return must.Get(pebble.New(t.TempDir(), 16, 16, "", false))(t)
	}
	opened := func(kv ethdb.KeyValueStore, dir string) ethdb.Database {
		return must.Get(Open(kv, OpenOptions{Ancient: dir}))(t)
	}
	for _, row := range []struct {
		name    string
		db      ethdb.Database
		ancient bool
	}{
		{"memory", NewMemoryDatabase(), false},
		{"disk", NewDatabase(onDisk()), false},
		{"disk and ancient store", opened(onDisk(), t.TempDir()), true},
		{"memory and ancient store in memory", opened(NewMemoryDatabase(), ""), true},
	} {
		t.Run(row.name, func(t *testing.T) {
			db := row.db
			defer func() { _ = db.Close() }()
			random := rand.NewChaCha8([32]byte{1})
			var hashes []common.Hash
			for number := range int64(8) {
				data := make([]byte, number*9000)
				_, _ = random.Read(data) // never fails
				block := types.NewBlockWithHeader(&types.Header{Number: big.NewInt(number), Difficulty: common.Big1}).WithBody(
					types.Body{Transactions: types.Transactions{types.NewTx(&types.LegacyTx{Data: data})}})
				receipts := types.Receipts{{Status: 1, Logs: []*types.Log{{Data: data}}}}
				hashes = append(hashes, block.Hash())
				if row.ancient && number < 5 {
					encoded := types.EncodeBlockReceiptLists([]types.Receipts{receipts})
					must.Get(WriteAncientBlocks(db, []*types.Block{block}, encoded))(t)
					continue
				}
				WriteBlock(db, block)
				WriteReceipts(db, block.Hash(), uint64(number), receipts)
			}
			for number := range uint64(9) {
				for _, hash := range []common.Hash{{1}, hashes[min(number, 7)]} {
					for _, kind := range []struct {
						name string
						view func(ethdb.Reader, common.Hash, uint64, func([]byte) error) error
						read func(ethdb.Reader, common.Hash, uint64) rlp.RawValue
					}{{"receipts", ViewReceiptsRLP, ReadReceiptsRLP}, {"body", ViewBodyRLP, ReadBodyRLP}} {
						want, calls := kind.read(db, hash, number), 0
						fails := errors.New("the view fails")
						err := kind.view(db, hash, number, func(encoded []byte) error {
							if calls++; !bytes.Equal(encoded, want) {
								t.Errorf("%s of %d %x: %d bytes, want %d", kind.name, number, hash, len(encoded), len(want))
							}
							return fails
						})
						assert.Truef(t, errors.Is(err, fails) && calls == 1,
							"%s of %d %x: %d calls, error %v", kind.name, number, hash, calls, err)
						present := number < 8 && hash != (common.Hash{1})
						assert.Truef(t, present == (len(want) > 0), "%s of %d %x: %d bytes were read", kind.name, number, hash, len(want))
					}
				}
			}
		})
	}
}

// Items of the ancient store are viewed as they are read, also where one file ends and the next begins. Those that are
// hidden, or not there yet, are errors. A closed table is one, too.
func TestViewOfItems(t *testing.T) {
	for _, config := range []freezerTableConfig{{noSnappy: true}, {noSnappy: false}} {
		table := must.Get(newTable(t.TempDir(), "items", metrics.NewMeter(), metrics.NewMeter(), metrics.NewGauge(), 3000,
			config, false))(t)
		random := rand.NewChaCha8([32]byte{2})
		batch := table.newBatch()
		const items, hidden = 60, 2
		for number := range uint64(items) {
			item := make([]byte, number*37%1100)
			_, _ = random.Read(item[:len(item)/2]) // never fails
			must.Do(t, batch.AppendRaw(number, item))
		}
		must.Do(t, batch.commit())
		require.Truef(t, len(table.files) >= 3, "%d files", len(table.files))
		table.itemHidden.Store(hidden)
		for number := range uint64(items + 2) {
			want, wantErr := table.Retrieve(number)
			var got []byte
			err := table.view(number, func(item []byte) error {
				got = bytes.Clone(item)
				return nil
			})
			if !errors.Is(err, wantErr) || !bytes.Equal(got, want) || (err == nil) != (number >= hidden && number < items) {
				t.Errorf("item %d: %d bytes, want %d: %v, want %v", number, len(got), len(want), err, wantErr)
			}
		}
		must.Do(t, table.Close())
		assert.ErrorIs(t, table.view(hidden, func([]byte) error { return nil }), errClosed, "closed")
	}
}

// Bytes of the database are viewed where it has them: two views see the same memory. A view of a whole block would
// otherwise copy a megabyte.
func TestViewsDoNotCopy(t *testing.T) {
	kv := must.Get(pebble.New(t.TempDir(), 16, 16, "", false))(t)
	db := must.Get(Open(kv, OpenOptions{Ancient: t.TempDir()}))(t)
	defer func() { _ = db.Close() }()
	WriteRawReceipts(db, common.Hash{1}, 1, make([]byte, 100_000))
	must.Do(t, kv.Compact(nil, nil))
	for name, reader := range map[string]ethdb.Reader{"plain": db, "wrapped": wrapped{db}} {
		var first, second *byte
		for _, begin := range []**byte{&first, &second} {
			must.Do(t, ViewReceiptsRLP(reader, common.Hash{1}, 1, func(encoded []byte) error {
				*begin = &encoded[0]
				return nil
			}))
		}
		assert.Truef(t, first == second, "%s: the bytes are copied", name)
	}
}

// wrapped is a database like that of package node.
type wrapped struct{ ethdb.Database }

func (w wrapped) Inner() ethdb.Database { return w.Database }
