// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package adopt_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/ethdb"

	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/operator/adopt"
)

// A database of go-stablenet is known by each of the keys that gwon does not write, and gwon's own is none.
func TestForeignKeys(t *testing.T) {
	genesis := common.Hash{1}
	for _, row := range []struct {
		name  string
		write func(ethdb.KeyValueStore) error
		want  bool
	}{
		{"new", func(ethdb.KeyValueStore) error { return nil }, false},
		{"own", func(db ethdb.KeyValueStore) error { rawdb.WriteDatabaseVersion(db, 9); return nil }, false},
		{"newer", func(db ethdb.KeyValueStore) error { rawdb.WriteDatabaseVersion(db, 10); return nil }, false},
		{"version", func(db ethdb.KeyValueStore) error { rawdb.WriteDatabaseVersion(db, 8); return nil }, true},
		{"difficulty below gwon's version", func(db ethdb.KeyValueStore) error {
			rawdb.WriteDatabaseVersion(db, 9) // as a gwon without this check has left it
			key := append(binary.BigEndian.AppendUint64([]byte{'h'}, 0), genesis[:]...)
			return db.Put(append(key, 't'), []byte{1})
		}, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			db := rawdb.NewMemoryDatabase()
			rawdb.WriteCanonicalHash(db, genesis, 0)
			must.Do(t, row.write(db))
			expect.Equal(t, adopt.IsForeign(db), row.want, "foreign")
		})
	}
}

// An ancient store is known by the metadata of its tables, in both places where there may be one.
func TestForeignTables(t *testing.T) {
	for _, row := range []struct {
		name string
		meta []byte
		want bool
	}{
		{"go-stablenet", []byte{0xc2, 1, 0x80}, true},
		{"gwon", append([]byte{0xc3, 2, 0x80, 6}, make([]byte, 28)...), false},
		{"damaged", []byte{0xff}, false},
		{"empty", nil, false},
	} {
		for _, sub := range []string{rawdb.ChainFreezerName, ""} {
			t.Run(row.name+" "+sub, func(t *testing.T) {
				dir := t.TempDir()
				path := filepath.Join(dir, sub, "headers.meta")
				must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
				must.Do(t, os.WriteFile(path, row.meta, 0o600))
				expect.Equal(t, adopt.HasForeignTables(dir), row.want, "foreign")
			})
		}
	}
}
