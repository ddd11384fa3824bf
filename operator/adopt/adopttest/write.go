// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package adopttest

import (
	"crypto/ecdsa"
	"encoding/binary"
	"math/big"
	"os"
	"path/filepath"
	"testing"

	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/ethdb/leveldb"
	"github.com/ethereum/go-ethereum/ethdb/pebble"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/consensus/wbft"
)

// Options say what a directory is like.
type Options struct {
	Engine, Scheme string // as in rawdb
	Frozen         uint64 // blocks in the ancient store
	State          uint64 // block whose state is written before the end
	Killed         bool   // the program was not stopped: the newest state on disk is that of block State

	Key *ecdsa.PrivateKey // of the node; nil makes one
}

// Write makes the data directory dir of a node with a chain. It has a node key and an account.
func Write(t testing.TB, dir string, genesis *gethcore.Genesis, blocks types.Blocks, o Options) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	instance := filepath.Join(dir, "gstable")
	path := filepath.Join(instance, "chaindata")
	check(os.MkdirAll(path, 0o700))
	check(os.MkdirAll(filepath.Join(dir, "keystore"), 0o700))
	check(os.WriteFile(filepath.Join(dir, "keystore", "UTC--account"), []byte("{}"), 0o600))
	check(os.WriteFile(filepath.Join(instance, "LOCK"), nil, 0o600))
	key, err := o.Key, error(nil)
	if key == nil {
		key, err = crypto.GenerateKey()
		check(err)
	}
	check(crypto.SaveECDSA(filepath.Join(instance, "nodekey"), key))

	var store ethdb.KeyValueStore
	if o.Engine == rawdb.DBLeveldb {
		store, err = leveldb.New(path, 16, 16, "", false)
	} else {
		store, err = pebble.NewV1(path, 16, 16, "", false)
	}
	check(err)
	ancient := filepath.Join(path, "ancient")
	db, err := rawdb.Open(store, rawdb.OpenOptions{Ancient: ancient})
	check(err)
	engine, err := wbft.New(genesis.Config, nil)
	check(err)
	config := gethcore.DefaultConfig().WithStateScheme(o.Scheme)
	config.SnapshotLimit, config.TrieJournalDirectory = 0, filepath.Join(dir, "journal")
	chain, err := gethcore.NewBlockChain(db, genesis, engine, config)
	check(err)
	_, err = chain.InsertChain(blocks[:o.State])
	check(err)
	check(chain.TrieDB().Commit(chain.CurrentBlock().Root, false))
	_, err = chain.InsertChain(blocks[o.State:])
	check(err)
	receipts := make([]types.Receipts, len(blocks)+1)
	for _, b := range blocks {
		receipts[b.NumberU64()] = chain.GetReceiptsByHash(b.Hash())
	}
	if o.Killed {
		check(chain.TrieDB().Close())
	} else {
		chain.Stop()
	}

	batch := db.NewBatch()
	chainBlocks := append(types.Blocks{genesis.ToBlock()}, blocks...)
	for _, b := range chainBlocks {
		number, hash := b.NumberU64(), b.Hash()
		key := binary.BigEndian.AppendUint64([]byte{'h'}, number)
		check(batch.Put(append(append(key, hash[:]...), 't'), difficulty(number)))
		rawdb.WriteRawReceipts(batch, hash, number, storedReceipts(receipts[number]))
	}
	rawdb.WriteDatabaseVersion(batch, 8)
	rawdb.WriteFinalizedBlockHash(batch, chainBlocks[len(blocks)].Hash())
	if o.Scheme == rawdb.PathScheme {
		journal, err := rlp.EncodeToBytes(uint64(0))
		check(err)
		rawdb.WriteTrieJournal(batch, append(journal, make([]byte, 33)...))
	}
	check(batch.Write())
	Freeze(t, db, chainBlocks[:o.Frozen], func(b *types.Block) []byte { return storedReceipts(receipts[b.NumberU64()]) })
	check(db.Close())
	check(os.RemoveAll(filepath.Join(dir, "journal")))
	toOldTables(t, filepath.Join(ancient, "chain"), o.Frozen)
	if o.Scheme == rawdb.PathScheme {
		oldMeta(t, filepath.Join(ancient, "state"))
	}
}

// difficulty returns the total difficulty of a block: each has one.
func difficulty(number uint64) []byte {
	encoded, _ := rlp.EncodeToBytes(new(big.Int).SetUint64(number + 1)) //nolint:errcheck // a number has an encoding
	return encoded
}

// storedReceipts returns receipts as go-stablenet stores them, with the effective gas price as the last field.
func storedReceipts(receipts types.Receipts) []byte {
	type stored struct {
		Status            []byte
		CumulativeGasUsed uint64
		Logs              []*types.Log
		EffectiveGasPrice *big.Int
	}
	list := make([]stored, len(receipts))
	for i, r := range receipts {
		list[i] = stored{nil, r.CumulativeGasUsed, r.Logs, r.EffectiveGasPrice}
		if r.Status == types.ReceiptStatusSuccessful {
			list[i].Status = []byte{1}
		}
	}
	encoded, err := rlp.EncodeToBytes(list)
	if err != nil {
		panic(err) // receipts of a chain have an encoding
	}
	return encoded
}

// Freeze moves blocks to the ancient store, with receipts in a stored form.
func Freeze(t testing.TB, db ethdb.Database, blocks types.Blocks, receipts func(*types.Block) []byte) {
	t.Helper()
	stored := make([][]byte, len(blocks))
	for i, b := range blocks {
		stored[i] = receipts(b)
	}
	_, err := db.ModifyAncients(func(op ethdb.AncientWriteOp) error {
		for i, b := range blocks {
			number, hash := b.NumberU64(), b.Hash()
			header, err := rlp.EncodeToBytes(b.Header())
			if err != nil {
				return err
			}
			body, err := rlp.EncodeToBytes(b.Body())
			if err != nil {
				return err
			}
			for table, item := range map[string][]byte{
				rawdb.ChainFreezerHashTable:    hash[:],
				rawdb.ChainFreezerHeaderTable:  header,
				rawdb.ChainFreezerBodiesTable:  body,
				rawdb.ChainFreezerReceiptTable: stored[i],
				rawdb.ChainFreezerBALTable:     nil,
			} {
				if err := op.AppendRaw(table, number, item); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range blocks {
		if b.NumberU64() > 0 {
			rawdb.DeleteBlockWithoutNumber(db, b.Hash(), b.NumberU64())
			rawdb.DeleteCanonicalHash(db, b.NumberU64())
		}
	}
}

// toOldTables gives the ancient store of a chain the tables of go-stablenet.
func toOldTables(t testing.TB, dir string, frozen uint64) {
	t.Helper()
	added, err := filepath.Glob(filepath.Join(dir, "bals.*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range added {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	index, data := make([]byte, 6), []byte{}
	for number := range frozen {
		data = append(data, difficulty(number)...)
		index = binary.BigEndian.AppendUint32(append(index, 0, 0), uint32(len(data)))
	}
	for name, content := range map[string][]byte{"diffs.ridx": index, "diffs.0000.rdat": data, "diffs.meta": {}} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	oldMeta(t, dir)
}

// oldMeta gives all tables of a directory metadata of version 1.
func oldMeta(t testing.TB, dir string) {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "*.meta"))
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := rlp.EncodeToBytes([]uint64{1, 0})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range list {
		if err := os.WriteFile(path, encoded, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
