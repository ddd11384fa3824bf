// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devchain

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/holiman/uint256"
)

// field is the part of an account that a write sets. The numbers are stored.
type field uint8

const (
	fieldBalance field = iota + 1
	fieldNonce
	fieldCode
	fieldStorage
	fieldFlags
)

// write sets one field of an account to a value, whatever it was before.
type write struct {
	Field   field
	Address common.Address
	Slot    common.Hash // of the storage; zero for other fields
	Value   []byte      // big-endian without leading zeros for numbers, the code itself for code
}

func setBalance(a common.Address, v *uint256.Int) write {
	return write{Field: fieldBalance, Address: a, Value: v.Bytes()}
}

func setNonce(a common.Address, v uint64) write {
	return write{Field: fieldNonce, Address: a, Value: uint256.NewInt(v).Bytes()}
}

func setCode(a common.Address, code []byte) write {
	return write{Field: fieldCode, Address: a, Value: code}
}

func setStorage(a common.Address, slot, v common.Hash) write {
	return write{Field: fieldStorage, Address: a, Slot: slot, Value: common.TrimLeftZeroes(v[:])}
}

func setFlags(a common.Address, v uint64) write {
	return write{Field: fieldFlags, Address: a, Value: uint256.NewInt(v).Bytes()}
}

// apply makes the write in a state. The other fields of the account stay as they are.
func (w write) apply(s *state.StateDB) error {
	if w.Field != fieldCode && len(w.Value) > common.HashLength {
		return fmt.Errorf("value of %d bytes for account %v: at most 32 fit", len(w.Value), w.Address)
	}
	number := new(uint256.Int)
	if w.Field != fieldCode {
		number.SetBytes(w.Value)
	}
	switch w.Field {
	case fieldBalance:
		s.SetBalance(w.Address, number, tracing.BalanceChangeUnspecified)
	case fieldNonce:
		if !number.IsUint64() {
			return fmt.Errorf("nonce %v of account %v has more than 64 bits", number, w.Address)
		}
		s.SetNonce(w.Address, number.Uint64(), tracing.NonceChangeUnspecified)
	case fieldCode:
		s.SetCode(w.Address, w.Value, tracing.CodeChangeUnspecified)
	case fieldStorage:
		s.SetState(w.Address, w.Slot, common.Hash(number.Bytes32()))
	case fieldFlags:
		if !number.IsUint64() {
			return fmt.Errorf("flags %v of account %v have more than 64 bits", number, w.Address)
		}
		s.SetExtra(w.Address, number.Uint64())
	default:
		return fmt.Errorf("unknown field %d of account %v", w.Field, w.Address)
	}
	return nil
}

// change is what test methods have done to the state after one block. It is never modified.
type change struct {
	Number uint64
	Block  common.Hash // with this number
	Before common.Hash // root in the header of the block
	After  common.Hash // root with the writes
	Writes []write     // in their order, on top of Before
}

// extend returns the change with more writes, which lead to root.
func (c *change) extend(root common.Hash, writes []write) *change {
	next := *c
	next.After, next.Writes = root, slices.Concat(c.Writes, writes)
	return &next
}

// changes holds the changes of the canonical chain by block number, in memory and in the database of the chain. It is
// safe for concurrent use.
type changes struct {
	db ethdb.KeyValueStore

	mu      sync.RWMutex
	byBlock map[uint64]*change
}

var changePrefix = []byte("gwon-dev-change-")

// changeKey is the key of the change after a block in the database of the chain.
func changeKey(number uint64) []byte {
	return binary.BigEndian.AppendUint64(slices.Clone(changePrefix), number)
}

// openChanges reads the changes of the chain in a database. A change of a block that is not canonical is dropped: a
// kill can leave one behind.
func openChanges(db ethdb.Database) (*changes, error) {
	c := &changes{db: db, byBlock: make(map[uint64]*change)}
	it := db.NewIterator(changePrefix, nil)
	defer it.Release()
	for it.Next() {
		read := new(change)
		if err := rlp.DecodeBytes(it.Value(), read); err != nil {
			return nil, fmt.Errorf("changed state of a block cannot be read: %w", err)
		}
		if rawdb.ReadCanonicalHash(db, read.Number) != read.Block {
			continue
		}
		c.byBlock[read.Number] = read
	}
	return c, it.Error()
}

// root implements core.ChangedState.
func (c *changes) root(number uint64, root common.Hash) common.Hash {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if known := c.byBlock[number]; known != nil && known.Before == root {
		return known.After
	}
	return root
}

// at returns the change after a block, or nil.
func (c *changes) at(number uint64, block common.Hash) *change {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if known := c.byBlock[number]; known != nil && known.Block == block {
		return known
	}
	return nil
}

// set stores the change after a block, and drops it when it is nil.
func (c *changes) set(number uint64, to *change) error {
	if to == nil {
		if err := c.db.Delete(changeKey(number)); err != nil {
			return fmt.Errorf("drop changed state: %w", err)
		}
		c.mu.Lock()
		delete(c.byBlock, number)
		c.mu.Unlock()
		return nil
	}
	encoded, err := rlp.EncodeToBytes(to)
	if err != nil {
		return fmt.Errorf("encode changed state: %w", err)
	}
	if err := c.db.Put(changeKey(number), encoded); err != nil {
		return fmt.Errorf("store changed state: %w", err)
	}
	c.mu.Lock()
	c.byBlock[number] = to
	c.mu.Unlock()
	return nil
}

// truncate drops the changes after blocks above a number.
func (c *changes) truncate(above uint64) error {
	c.mu.RLock()
	var gone []uint64
	for number := range c.byBlock {
		if number > above {
			gone = append(gone, number)
		}
	}
	c.mu.RUnlock()
	for _, number := range gone {
		if err := c.set(number, nil); err != nil {
			return err
		}
	}
	return nil
}

// errNoHead means that the head of the chain has no state.
var errNoHead = errors.New("the state of the newest block cannot be read")

// change applies writes to the state after the newest block. The lock is held.
func (c *Chain) change(writes ...write) error {
	head := c.chain.CurrentBlock()
	statedb, err := c.chain.StateAt(head.Root, head.Number, head.Time)
	if err != nil {
		return fmt.Errorf("%w: %w", errNoHead, err)
	}
	for _, w := range writes {
		if err := w.apply(statedb); err != nil {
			return err
		}
	}
	number := head.Number.Uint64()
	root, err := statedb.Commit(c.chain.Config().Rules(head.Number, false, head.Time), number)
	if err != nil {
		return fmt.Errorf("commit changed state: %w", err)
	}
	if err := c.chain.TrieDB().Commit(root, false); err != nil {
		return fmt.Errorf("store changed state: %w", err)
	}
	known := c.changes.at(number, head.Hash())
	if known == nil {
		known = &change{Number: number, Block: head.Hash(), Before: head.Root}
	}
	if err := c.changes.set(number, known.extend(root, writes)); err != nil {
		return err
	}
	if err := c.chain.SyncBlocks(); err != nil { // a kill loses what the database has not written out
		return err
	}
	return c.refreshPool(c.pooled())
}

// state returns the state after the newest block.
func (c *Chain) state() (*state.StateDB, error) {
	head := c.chain.CurrentBlock()
	statedb, err := c.chain.StateAt(head.Root, head.Number, head.Time)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoHead, err)
	}
	return statedb, nil
}

// pooled returns the transactions of the pool, by sender and nonce.
func (c *Chain) pooled() []*types.Transaction {
	var txs []*types.Transaction
	pending, queued := c.pool.Content()
	for _, lists := range []map[common.Address][]*types.Transaction{pending, queued} {
		for _, list := range lists {
			txs = append(txs, list...)
		}
	}
	return txs
}
