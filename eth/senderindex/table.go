// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package senderindex

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/rlp"
)

// Prefix begins every key of the index in the database of the chain.
const Prefix = "gwon-sender-"

var (
	rowPrefix = []byte("r")    // + sender's hash -> block number (8 bytes) + transaction hash
	spanKey   = []byte("span") // -> span, in RLP
)

// rowSize is the length of the value of a row in bytes.
const rowSize = 8 + common.HashLength

// span is the range of blocks whose rows are in the table: From <= number < To. Last is the hash of block To - 1.
type span struct {
	From, To uint64
	Last     common.Hash
}

// table is the index in the database.
type table struct {
	db ethdb.Database
}

func rowKey(senderHash common.Hash) []byte { return append(rowPrefix[:1:1], senderHash[:]...) }

// readSpan returns the range of blocks in the table; an empty one at block 0 when nothing was indexed yet.
func (t table) readSpan() (span, error) {
	var s span
	known, err := t.db.Has(spanKey)
	if err != nil || !known {
		return s, err
	}
	encoded, err := t.db.Get(spanKey)
	if err != nil {
		return s, err
	}
	if err := rlp.DecodeBytes(encoded, &s); err != nil {
		return s, fmt.Errorf("range of the index of sender hashes: %w", err)
	}
	if s.From > s.To {
		return s, fmt.Errorf("range of the index of sender hashes: begins at block %d, ends before block %d", s.From, s.To)
	}
	return s, nil
}

func writeSpan(w ethdb.KeyValueWriter, s span) error {
	encoded, err := rlp.EncodeToBytes(s)
	if err != nil {
		return err
	}
	return w.Put(spanKey, encoded)
}

// row returns the transaction hash of a row. It is the zero hash when there is no row.
func (t table) row(senderHash common.Hash) (common.Hash, error) {
	key := rowKey(senderHash)
	known, err := t.db.Has(key)
	if err != nil || !known {
		return common.Hash{}, err
	}
	value, err := t.db.Get(key)
	if err != nil {
		return common.Hash{}, err
	}
	if len(value) != rowSize {
		return common.Hash{}, fmt.Errorf("row of sender hash %v has %d bytes, not %d", senderHash, len(value), rowSize)
	}
	return common.BytesToHash(value[8:]), nil
}

func putRow(w ethdb.KeyValueWriter, senderHash common.Hash, number uint64, hash common.Hash) error {
	value := binary.BigEndian.AppendUint64(make([]byte, 0, rowSize), number)
	return w.Put(rowKey(senderHash), append(value, hash[:]...))
}

var errStopped = errors.New("stopped")

// sweep deletes the rows of the blocks below number, whose bodies are gone, by a look at every row.
func (t table) sweep(number uint64, stop <-chan struct{}) error {
	rows := t.db.NewIterator(rowPrefix, nil)
	defer rows.Release()
	batch, n := t.db.NewBatch(), 0
	for rows.Next() {
		select {
		case <-stop:
			return errStopped
		default:
		}
		if value := rows.Value(); len(value) == rowSize && binary.BigEndian.Uint64(value) >= number {
			continue
		}
		if err := batch.Delete(rows.Key()); err != nil {
			return err
		}
		if n++; n%10_000 == 0 {
			if err := batch.Write(); err != nil {
				return err
			}
			batch.Reset()
		}
	}
	if err := rows.Error(); err != nil {
		return err
	}
	return batch.Write()
}
