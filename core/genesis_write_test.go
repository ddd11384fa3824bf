// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/triedb"
	"github.com/ethereum/go-ethereum/triedb/hashdb"
	"github.com/ethereum/go-ethereum/triedb/pathdb"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// crowded returns a genesis with accounts of every kind: without anything, with flags, code, nonce, and storage of
// which some is zero.
func crowded(t *testing.T) *gethcore.Genesis {
	t.Helper()
	g, _, err := BuildGenesis(devnet(t, 7), nil)
	must.Do(t, err)
	for i := range uint64(2000) {
		address := common.BytesToAddress(binary.BigEndian.AppendUint64([]byte{0xaa}, i))
		account := types.Account{Balance: new(big.Int).SetUint64(i * i)}
		switch i % 5 {
		case 1:
			account.Nonce = i
		case 2:
			account.Extra = 1 << (i % 64)
		case 3:
			account.Code = bytes.Repeat([]byte{byte(i / 10)}, int(i/7))
			account.Storage = make(map[common.Hash]common.Hash)
			for n := range i % 40 {
				account.Storage[common.BigToHash(new(big.Int).SetUint64(n))] = common.BigToHash(new(big.Int).SetUint64(n * i))
			}
		case 4:
			account.Balance = nil
		}
		g.Alloc[address] = account
	}
	return g
}

// contentOf returns the entries of a database but for what the database of tries notes about itself.
func contentOf(t *testing.T, db ethdb.Database) map[string]string {
	t.Helper()
	content := make(map[string]string)
	it := db.NewIterator(nil, nil)
	defer it.Release()
	for it.Next() {
		switch key := string(it.Key()); key {
		case "SnapshotGenerator", "SnapshotRoot", "SnapSyncStatus", "LastStateID", "TrieJournal", "SnapshotJournal":
		default:
			if !strings.HasPrefix(key, "L") || len(key) != 33 { // number of a state
				content[key] = string(it.Value())
			}
		}
	}
	must.Do(t, it.Error())
	return content
}

// Every entry is the one that go-ethereum writes. spec: chain 9
func TestWriteGenesis(t *testing.T) {
	for _, scheme := range []string{rawdb.HashScheme, rawdb.PathScheme} {
		t.Run(scheme, func(t *testing.T) {
			g := crowded(t)
			open := func(db ethdb.Database) *triedb.Database {
				config := &triedb.Config{Preimages: true, HashDB: hashdb.Defaults}
				if scheme == rawdb.PathScheme {
					config = &triedb.Config{Preimages: true, PathDB: pathdb.Defaults}
				}
				return triedb.NewDatabase(db, config)
			}
			theirs, ours := rawdb.NewMemoryDatabase(), rawdb.NewMemoryDatabase()
			tries := open(theirs)
			block, err := g.Commit(theirs, tries, nil)
			must.Do(t, errors.Join(err, tries.Close()))
			hash := must.Get(WriteGenesis(ours, scheme, true, g))(t)
			told, err := GenesisHash(g)
			expect.That(t, err == nil && hash == block.Hash() && told == hash,
				"block %v, told was %v (%v); go-ethereum writes %v", hash, told, err, block.Hash())
			want, got := contentOf(t, theirs), contentOf(t, ours)
			for key, value := range want {
				expect.Equal(t, got[key], value, "%x", key)
				delete(got, key)
			}
			for key, value := range got {
				t.Errorf("%x: %x, and go-ethereum writes nothing there", key, value)
			}
			// The state can be built upon at once, and is complete.
			tries = open(ours)
			defer tries.Close() //nolint:errcheck // in memory
			expect.Error(t, expect.Err(tries.NodeReader(block.Root())), nil, "NodeReader")
			if scheme == rawdb.PathScheme {
				expect.Error(t, tries.VerifyState(block.Root()), nil, "VerifyState")
			}
			expect.Refused(t, expect.Err(WriteGenesis(ours, scheme, true, g)), "written over a chain")
		})
	}
}

// failing is a database whose batches cannot be written after some bytes.
type failing struct {
	ethdb.Database
	left *int
}

func (f failing) NewBatch() ethdb.Batch { return failingBatch{f.Database.NewBatch(), f.left} }

type failingBatch struct {
	ethdb.Batch
	left *int
}

var errDiskFull = errors.New("no space left on device")

func (b failingBatch) Write() error {
	if *b.left -= b.ValueSize(); *b.left < 0 {
		return errDiskFull
	}
	return b.Batch.Write()
}

// What a full disk interrupts leaves no chain, wherever it comes.
func TestWriteGenesisOnAFullDisk(t *testing.T) {
	g := crowded(t)
	write := func(db ethdb.Database, room int) (used int, err error) {
		left := room
		_, err = WriteGenesis(failing{db, &left}, rawdb.PathScheme, false, g)
		return room - left, err
	}
	used := must.Get(write(rawdb.NewMemoryDatabase(), 1<<30))(t)
	for _, room := range []int{0, used / 2, used - 1} {
		db := rawdb.NewMemoryDatabase()
		expect.Error(t, expect.Err(write(db, room)), errDiskFull, "%d bytes: error", room)
		expect.Equal(t, rawdb.ReadCanonicalHash(db, 0), common.Hash{}, "%d bytes: there is a chain", room)
		expect.Error(t, expect.Err(write(db, used)), nil, "%d bytes, second try", room)
	}
}
