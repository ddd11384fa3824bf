// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/ethdb/memorydb"
)

// CommitIdle adds blocks behind the head that have no transactions and leave its state as it is, like CommitQuietly and
// without execution. It is for chains whose only validator makes them.
func (bc *BlockChain) CommitIdle(blocks []*types.Block) error {
	if len(blocks) == 0 {
		return nil
	}
	if !bc.chainmu.TryLock() {
		return errChainStopped
	}
	defer bc.chainmu.Unlock()
	batch, head := bc.db.NewBatch(), bc.CurrentBlock()
	defer batch.Close()
	parent := head.Hash()
	for _, block := range blocks {
		hash, number := block.Hash(), block.NumberU64()
		if block.ParentHash() != parent || block.Root() != head.Root || len(block.Transactions()) > 0 {
			return fmt.Errorf("block %d %x does not leave the state of block %x as it is", number, hash, parent)
		}
		rawdb.WriteBlock(batch, block)
		rawdb.WriteReceipts(batch, hash, number, nil)
		rawdb.WriteCanonicalHash(batch, hash, number)
		parent = hash
	}
	if err := batch.Write(); err != nil {
		return fmt.Errorf("write blocks behind block %d: %w", head.Number, err)
	}
	bc.writeHeadBlock(blocks[len(blocks)-1])
	for _, block := range blocks {
		bc.chainFeed.Send(ChainEvent{Header: block.Header()})
	}
	return nil
}

// NameOneFork tells the chain that no block of it has a sibling, as where one validator makes all of them. A way back
// looks hashes up by their number then, instead of searching the database: one in memory is searched as a whole.
func (bc *BlockChain) NameOneFork() { bc.hc.chainDb = oneFork{bc.hc.chainDb} }

// oneFork is the database of a chain without forks.
type oneFork struct{ ethdb.Database }

// NewIterator implements ethdb.Iteratee. The prefix of the headers of one number has one key below it at most.
func (db oneFork) NewIterator(prefix, start []byte) ethdb.Iterator {
	const headersOf = "h" // and eight bytes of a number
	if len(prefix) != len(headersOf)+8 || string(prefix[:len(headersOf)]) != headersOf || len(start) > 0 {
		return db.Database.NewIterator(prefix, start)
	}
	found := memorydb.New()
	number := binary.BigEndian.Uint64(prefix[len(headersOf):])
	if hash := rawdb.ReadCanonicalHash(db.Database, number); hash != (common.Hash{}) {
		_ = found.Put(append(bytes.Clone(prefix), hash[:]...), nil) // in memory: it cannot fail
	}
	return found.NewIterator(nil, nil)
}
