// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rawdb

import (
	"fmt"
	"sync"

	"github.com/golang/snappy"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb"
)

// ViewReceiptsRLP calls view with what ReadReceiptsRLP returns, and returns its error. The database does not copy the
// bytes, and those of the ancient store are in a buffer that is used again. They are valid until view returns, and must
// not be modified. view must not read the database, whose lock is held.
func ViewReceiptsRLP(db ethdb.Reader, hash common.Hash, number uint64, view func(encoded []byte) error) error {
	return viewStored(db, ChainFreezerReceiptTable, blockReceiptsKey(number, hash), hash, number,
		func(encoded []byte) error { return view(types.CanonicalReceipts(encoded)) })
}

// ViewBodyRLP is ViewReceiptsRLP for what ReadBodyRLP returns.
func ViewBodyRLP(db ethdb.Reader, hash common.Hash, number uint64, view func(encoded []byte) error) error {
	return viewStored(db, ChainFreezerBodiesTable, blockBodyKey(number, hash), hash, number, view)
}

func viewStored(
	db ethdb.Reader, table string, key []byte, hash common.Hash, number uint64, view func(encoded []byte) error,
) (err error) {
	viewed := false
	once := func(encoded []byte) error {
		viewed = true
		err = view(encoded)
		return err
	}
	// What cannot be read is not there, as for ReadReceiptsRLP.
	_ = db.ReadAncients(func(reader ethdb.AncientReaderOp) error {
		if isCanon(reader, number, hash) {
			return viewAncient(reader, table, number, once)
		}
		return viewValue(db, key, once)
	})
	if !viewed {
		return view(nil)
	}
	return err
}

// viewValue calls view with the value of a key, without a copy if the key-value store can do that.
func viewValue(db ethdb.KeyValueReader, key []byte, view func([]byte) error) error {
	for {
		switch d := db.(type) {
		case interface{ Inner() ethdb.Database }: // of package node
			db = d.Inner()
		case *freezerdb:
			db = d.KeyValueStore
		case *nofreezedb:
			db = d.KeyValueStore
		case interface {
			View(key []byte, view func([]byte) error) error
		}:
			return d.View(key, view)
		default:
			value, err := db.Get(key)
			if err != nil {
				return err
			}
			return view(value)
		}
	}
}

// viewAncient calls view with an item of the ancient store. Items that were pruned, and those of stores without files,
// are read as by upstream.
func viewAncient(reader ethdb.AncientReaderOp, table string, number uint64, view func([]byte) error) error {
	if chain, ok := reader.(*chainFreezer); ok {
		if store, ok := chain.ancients.(*Freezer); ok {
			if t := store.tables[table]; t != nil && t.itemHidden.Load() <= number {
				return t.view(number, view)
			}
		}
	}
	item, err := reader.Ancient(table, number)
	if err != nil {
		return err
	}
	return view(item)
}

// itemBuffers are for an item as it is in its file, and decompressed.
type itemBuffers struct{ stored, item []byte }

var itemPool = sync.Pool{New: func() any { return new(itemBuffers) }}

// sized returns a buffer of a size, in the memory of another one if that is large enough.
func sized(buffer []byte, size int) []byte {
	if cap(buffer) < size {
		return make([]byte, size+size/4)[:size]
	}
	return buffer[:size]
}

// view calls view with an item.
func (t *freezerTable) view(number uint64, view func([]byte) error) error {
	b := itemPool.Get().(*itemBuffers)
	defer itemPool.Put(b)
	if err := t.readStored(number, b); err != nil {
		return err
	}
	if t.config.noSnappy {
		return view(b.stored)
	}
	size, err := snappy.DecodedLen(b.stored)
	if err != nil {
		return err
	}
	b.item = sized(b.item, size)
	item, err := snappy.Decode(b.item, b.stored)
	if err != nil {
		return err
	}
	return view(item)
}

// readStored reads an item as it is in its file.
func (t *freezerTable) readStored(number uint64, b *itemBuffers) error {
	t.lock.RLock()
	defer t.lock.RUnlock()
	if t.index == nil || t.head == nil || t.metadata.file == nil {
		return errClosed
	}
	if number >= t.items.Load() || number < t.itemHidden.Load() {
		return errOutOfBounds
	}
	indices, err := t.getIndices(number, 1)
	if err != nil {
		return err
	}
	begin, end, id := indices[0].bounds(indices[1])
	file := t.files[id]
	if file == nil || end < begin {
		return fmt.Errorf("item %d of table %s is not in file %d: the ancient store is damaged", number, t.name, id)
	}
	b.stored = sized(b.stored, int(end-begin))
	if _, err := file.ReadAt(b.stored, int64(begin)); err != nil {
		return fmt.Errorf("item %d of table %s: %w", number, t.name, err)
	}
	t.readMeter.Mark(int64(len(b.stored)))
	return nil
}
