// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"math/big"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/stretchr/testify/assert"
)

// searched counts the searches of a database.
type searched struct {
	ethdb.Database
	times *int
}

func (s searched) NewIterator(prefix, start []byte) ethdb.Iterator {
	*s.times++
	return s.Database.NewIterator(prefix, start)
}

// The hashes of a number are found without a search of the database, and are those that a search finds. Every other
// search is one.
func TestOneForkIsNotSearched(t *testing.T) {
	stored, times := rawdb.NewMemoryDatabase(), 0
	var hashes []common.Hash
	for n := range int64(3) {
		header := &types.Header{Number: big.NewInt(n), Difficulty: common.Big1}
		rawdb.WriteHeader(stored, header)
		rawdb.WriteCanonicalHash(stored, header.Hash(), uint64(n))
		hashes = append(hashes, header.Hash())
	}
	db := oneFork{searched{stored, &times}}
	for n := range uint64(4) {
		found, want := rawdb.ReadAllHashes(db, n), rawdb.ReadAllHashes(stored, n)
		assert.Truef(t, slices.Equal(found, want) && (n >= 3 || len(found) == 1 && found[0] == hashes[n]),
			"hashes of number %d: %x, want %x", n, found, want)
	}
	assert.Truef(t, times == 0, "the database was searched %d times", times)
	it, keys := db.NewIterator([]byte("h"), nil), 0
	for it.Next() {
		keys++
	}
	it.Release()
	if want := 6; keys != want || times != 1 { // a header and a canonical hash for each number
		t.Errorf("%d keys in %d searches, want %d in one", keys, times, want)
	}
}
