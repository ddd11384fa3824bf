// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rawdb

import (
	"fmt"
	"path/filepath"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/rlp"
)

// freezable bounds what the freezer of an Anzeon chain may take: final, the block that a key names, counts for nothing,
// and a block on disk at or above limit must have its state there. Otherwise a crash leaves a head below the ancient
// store, which upstream then cuts to it.
func freezable(db ethdb.KeyValueReader, head, final, limit uint64) (uint64, uint64) {
	genesis, _ := db.Get(headerHashKey(0)) //nolint:errcheck // without a genesis block there is nothing to freeze
	if config := ReadChainConfig(db, common.BytesToHash(genesis)); config == nil || !config.IsAnzeon() {
		return final, limit
	}
	if limit == 0 {
		return 0, 0
	}
	if _, found := newestState(db, ReadHeadBlockHash(db), head, limit, func(hash common.Hash, number uint64) []byte {
		encoded, _ := db.Get(headerKey(number, hash)) //nolint:errcheck // a missing header ends the search
		return encoded
	}); !found {
		return 0, 0
	}
	return 0, limit
}

// NewestState returns the number of the newest block from a head down whose state is on disk.
func NewestState(db ethdb.Reader, hash common.Hash, head uint64) (number uint64, found bool) {
	return newestState(db, hash, head, 0, func(hash common.Hash, number uint64) []byte {
		return ReadHeaderRLP(db, hash, number)
	})
}

// newestState is NewestState for headers from read, down to block lowest.
func newestState(
	db ethdb.KeyValueReader, hash common.Hash, head, lowest uint64, read func(common.Hash, uint64) []byte,
) (number uint64, found bool) {
	var persistent common.Hash // of the path scheme
	if node := ReadAccountTrieNode(db, nil); len(node) > 0 {
		persistent = crypto.Keccak256Hash(node)
	}
	for number = head; ; number-- {
		var header types.Header
		if rlp.DecodeBytes(read(hash, number), &header) != nil {
			return 0, false
		}
		if header.Root == persistent || persistent == (common.Hash{}) && HasLegacyTrieNode(db, header.Root) {
			return number, true
		}
		if number == lowest {
			return 0, false
		}
		hash = header.ParentHash
	}
}

// cutHead is TruncateHead for a store whose files may be another directory's, too, by hard links, as gwon adopt leaves
// them. An earlier file that becomes the last one is shortened, and becomes a copy before.
func (f *chainFreezer) cutHead(items uint64) (uint64, error) {
	if store, ok := f.ancients.(*Freezer); ok && !store.readonly {
		for _, table := range store.tables {
			if err := table.ownFile(items); err != nil {
				return 0, fmt.Errorf("copy a file of the ancient store before it is cut: %w", err)
			}
		}
	}
	return f.ancients.TruncateHead(items)
}

// ownFile copies the file that becomes the last one when a table is cut to its first items.
func (t *freezerTable) ownFile(items uint64) error {
	t.lock.Lock()
	defer t.lock.Unlock()
	if items >= t.items.Load() || items < t.itemHidden.Load() {
		return nil
	}
	last := t.tailId
	if position := items - t.itemOffset.Load(); position > 0 {
		entry := make([]byte, indexEntrySize)
		if _, err := t.index.ReadAt(entry, int64(position*indexEntrySize)); err != nil {
			return err
		}
		var decoded indexEntry
		decoded.unmarshalBinary(entry)
		last = decoded.filenum
	}
	if last == t.headId {
		return nil
	}
	suffix := "cdat"
	if t.config.noSnappy {
		suffix = "rdat"
	}
	t.releaseFile(last) // the cut opens it again
	path := filepath.Join(t.path, fmt.Sprintf("%s.%04d.%s", t.name, last, suffix))
	return copyFrom(path, path, 0, nil)
}
