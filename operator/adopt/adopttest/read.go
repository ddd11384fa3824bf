// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package adopttest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/ethdb/leveldb"
	"github.com/ethereum/go-ethereum/ethdb/pebble"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/golang/snappy"
)

// tables are those of the ancient store of a chain, with the suffix of their index.
var tables = map[string]string{
	"hashes": ".ridx", "headers": ".cidx", "bodies": ".cidx", "receipts": ".cidx", "diffs": ".ridx",
}

// stateTables are those of the state histories.
var stateTables = map[string]string{
	"history.meta": ".ridx", "account.index": ".cidx", "storage.index": ".cidx", "account.data": ".cidx",
	"storage.data": ".cidx",
}

// Check reads the chain database of an instance directory as go-stablenet v1.0.1 does. It must hold the blocks, genesis
// first, and the state of the last one. It returns the number of blocks in the ancient store.
func Check(t testing.TB, instance string, blocks types.Blocks) (frozen uint64) {
	t.Helper()
	path := filepath.Join(instance, "chaindata")
	chain := readStore(t, filepath.Join(path, "ancient", "chain"), tables)
	var store ethdb.KeyValueStore
	var err error
	if rawdb.PreexistingDatabase(path) == rawdb.DBLeveldb {
		store, err = leveldb.New(path, 16, 16, "", true)
	} else {
		store, err = pebble.NewV1(path, 16, 16, "", true)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close() //nolint:errcheck // read only
	db := rawdb.NewDatabase(store)
	if version := rawdb.ReadDatabaseVersion(db); version == nil || *version != 8 {
		t.Errorf("database version %v, want 8", version)
	}
	last := blocks[len(blocks)-1]
	if head := rawdb.ReadHeadBlockHash(db); head != last.Hash() {
		t.Errorf("head %v, want block %d %v", head, last.NumberU64(), last.Hash())
	}
	for _, b := range blocks {
		number, hash := b.NumberU64(), b.Hash()
		key := append(binary.BigEndian.AppendUint64([]byte{'h'}, number), hash[:]...)
		get := func(prefix byte) []byte {
			value, _ := store.Get(append([]byte{prefix}, key[1:]...)) //nolint:errcheck // a missing value differs
			return value
		}
		td, _ := store.Get(append(bytes.Clone(key), 't')) //nolint:errcheck // a missing value differs
		items := map[string][]byte{
			"hashes": rawdb.ReadCanonicalHash(db, number).Bytes(), "headers": get('h'), "bodies": get('b'),
			"receipts": get('r'), "diffs": td,
		}
		if frozen := chain["hashes"].length; number < frozen {
			for name := range tables {
				items[name] = chain[name].item(t, number)
			}
		}
		checkBlock(t, b, items)
	}
	if node := rawdb.ReadAccountTrieNode(db, nil); len(node) == 0 {
		if !rawdb.HasLegacyTrieNode(db, last.Root()) {
			t.Error("the state of the head is missing")
		}
	} else {
		if root := crypto.Keccak256Hash(node); root != last.Root() {
			t.Errorf("the state on disk has root %v, the head %v", root, last.Root())
		}
		id := rawdb.ReadPersistentStateID(db)
		for name, table := range readStore(t, filepath.Join(path, "ancient", "state"), stateTables) {
			if table.length != id {
				t.Errorf("table %s of the state histories ends at %d, the state on disk is %d", name, table.length, id)
			}
		}
	}
	return chain["hashes"].length
}

// checkBlock compares the stored items of a block.
func checkBlock(t testing.TB, b *types.Block, items map[string][]byte) {
	t.Helper()
	number := b.NumberU64()
	header, _ := rlp.EncodeToBytes(b.Header()) //nolint:errcheck // a header has an encoding
	body, _ := rlp.EncodeToBytes(b.Body())     //nolint:errcheck // a body has an encoding
	for name, want := range map[string][]byte{
		"hashes": b.Hash().Bytes(), "headers": header, "bodies": body, "diffs": difficulty(number),
	} {
		if !bytes.Equal(items[name], want) {
			t.Errorf("block %d: %s %x, want %x", number, name, items[name], want)
		}
	}
	var receipts []struct {
		Status            []byte
		CumulativeGasUsed uint64
		Logs              []*types.Log
		EffectiveGasPrice []byte `rlp:"optional"`
	}
	if err := rlp.DecodeBytes(items["receipts"], &receipts); err != nil || len(receipts) != len(b.Transactions()) {
		t.Errorf("block %d: %d receipts for %d transactions, %v", number, len(receipts), len(b.Transactions()), err)
	}
}

// stored is a table of an ancient store.
type stored struct {
	path, suffix string
	index        []byte
	first        uint64
	length       uint64
}

// readStore reads the tables of an ancient store, which has these and no others.
func readStore(t testing.TB, dir string, names map[string]string) map[string]*stored {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	list := make(map[string]*stored)
	for name, suffix := range names {
		base := filepath.Join(dir, name)
		index, err := os.ReadFile(base + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if len(index) == 0 || len(index)%6 != 0 {
			t.Fatalf("the index of %s has %d bytes", base, len(index))
		}
		s := &stored{path: base, suffix: suffix, index: index, first: uint64(binary.BigEndian.Uint32(index[2:]))}
		s.length = s.first + uint64(len(index)/6) - 1
		meta, err := os.ReadFile(base + ".meta")
		want, _ := rlp.EncodeToBytes([]uint64{1, s.first}) //nolint:errcheck // numbers have an encoding
		if err != nil || !bytes.Equal(meta, want) {
			t.Errorf("%s.meta is %x, want %x: %v", base, meta, want, err)
		}
		list[name] = s
	}
	for _, e := range entries {
		known := e.Name() == "FLOCK"
		for name := range names {
			known = known || strings.HasPrefix(e.Name(), name+".")
		}
		if !known {
			t.Errorf("%s has %s, which is of no table of go-stablenet", dir, e.Name())
		}
	}
	for name, s := range list {
		for other, o := range list {
			if s.length != o.length {
				t.Errorf("table %s has %d items, table %s %d", name, s.length, other, o.length)
			}
		}
	}
	return list
}

// item reads an item.
func (s *stored) item(t testing.TB, number uint64) []byte {
	t.Helper()
	at := (number - s.first) * 6
	file, end := binary.BigEndian.Uint16(s.index[at+6:]), binary.BigEndian.Uint32(s.index[at+8:])
	begin := binary.BigEndian.Uint32(s.index[at+2:])
	if number == s.first || binary.BigEndian.Uint16(s.index[at:]) != file {
		begin = 0
	}
	suffix := map[string]string{".ridx": "rdat", ".cidx": "cdat"}[s.suffix]
	data, err := os.ReadFile(fmt.Sprintf("%s.%04d.%s", s.path, file, suffix))
	if err != nil || uint64(end) > uint64(len(data)) || begin > end {
		t.Fatalf("item %d of %s is not in its file: %v", number, s.path, err)
	}
	item := data[begin:end]
	if suffix == "cdat" {
		if item, err = snappy.Decode(nil, item); err != nil {
			t.Fatal(err)
		}
	}
	return item
}
