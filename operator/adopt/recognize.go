// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package adopt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/ethdb/leveldb"
	"github.com/ethereum/go-ethereum/ethdb/pebble"

	"gwon/internal/ancient"
)

// Instance is the directory of go-stablenet below its data directory.
const Instance = "gstable"

// oldDatabaseVersion is the key by which go-stablenet knows its database.
const oldDatabaseVersion = 8

// openCache is that of a database that is converted, in MiB and in files.
const openCache = 64

// OpenKeyValues opens the key-value store of a chain database in the format that it has.
func OpenKeyValues(path string, readOnly bool) (ethdb.KeyValueStore, error) {
	if rawdb.PreexistingDatabase(path) == rawdb.DBLeveldb {
		return leveldb.New(path, openCache, openCache, "", readOnly)
	}
	return pebble.Open(path, openCache, openCache, readOnly)
}

// IsForeign reports whether go-stablenet has written a chain database: it has that program's version, or a total
// difficulty of the genesis block, which gwon never stores. The genesis block is never moved to the ancient store.
func IsForeign(db ethdb.Reader) bool {
	if version := rawdb.ReadDatabaseVersion(db); version != nil && *version < gethcore.BlockChainVersion {
		return true
	}
	has, err := db.Has(difficultyKey(0, rawdb.ReadCanonicalHash(db, 0)))
	return has && err == nil
}

// HasForeignTables reports whether go-stablenet has written the ancient store in a directory.
func HasForeignTables(store string) bool {
	for _, dir := range []string{filepath.Join(store, rawdb.ChainFreezerName), store} {
		version, _, err := ancient.ReadMeta(filepath.Join(dir, rawdb.ChainFreezerHeaderTable+metaSuffix))
		if absent := (*fs.PathError)(nil); errors.As(err, &absent) {
			continue
		}
		return err == nil && version == ancient.OldVersion // the ancient store names a damaged one itself
	}
	return false
}

// difficultyKey returns the key of the total difficulty of a block.
func difficultyKey(number uint64, hash common.Hash) []byte {
	key := binary.BigEndian.AppendUint64([]byte{'h'}, number)
	return append(append(key, hash[:]...), 't')
}

// findOld returns the instance directory in a data directory of go-stablenet, which may be given itself.
func findOld(dir string) (string, error) {
	for _, instance := range []string{filepath.Join(dir, Instance), dir} {
		chain := filepath.Join(instance, chainName)
		if rawdb.PreexistingDatabase(chain) != "" {
			return instance, nil
		}
		if _, err := os.ReadDir(chain); errors.Is(err, fs.ErrPermission) {
			return "", fmt.Errorf("run this as the user that runs the nodes: %w", err)
		}
	}
	return "", fmt.Errorf("there is no chain of go-stablenet in %s: name its data directory, or the directory %s in it",
		dir, Instance)
}

// HasOld reports whether a data directory has a chain of go-stablenet.
func HasOld(dataDir string) bool {
	return rawdb.PreexistingDatabase(filepath.Join(dataDir, Instance, chainName)) != ""
}

// IsCutShort reports whether a call of Run has ended before the instance directory of gwon was there.
func IsCutShort(dataDir, name string) bool {
	ours := filepath.Join(dataDir, name)
	return exists(ours+workSuffix) && !exists(ours)
}

// IsDue reports whether a data directory has a chain of go-stablenet and none of gwon, or with key whether a call of
// Run was cut short that had to move the key.
func IsDue(dataDir, name string, key bool) bool {
	if !HasOld(dataDir) {
		return false
	}
	ours := filepath.Join(dataDir, name)
	return !exists(ours) || key && KeyIsTwice(ours) != ""
}

// KeyIsTwice returns the directory from which an instance was taken over if it still has the node key of the instance,
// as after a call of Run or Return that was cut short; otherwise an empty string.
func KeyIsTwice(instance string) string {
	old, err := takenFrom(instance)
	if err != nil {
		return ""
	}
	theirs, err := os.ReadFile(filepath.Join(old, keyName))
	if err != nil {
		return ""
	}
	ours, err := os.ReadFile(filepath.Join(instance, keyName))
	if err != nil || !bytes.Equal(bytes.TrimSpace(ours), bytes.TrimSpace(theirs)) {
		return ""
	}
	return old
}
