// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devchain

import (
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// maxSnapshots bounds the snapshots of a chain. The oldest goes when there are more.
const maxSnapshots = 10_000

// snapshot is what evm_revert brings back.
type snapshot struct {
	id       uint64
	number   uint64
	hash     common.Hash
	change   *change // of the state after the block; nil for none
	settings *settings
	offset   int64
	txs      []*types.Transaction // of the pool
}

// take remembers the chain as it is and returns the number of the snapshot. The lock is held.
func (c *Chain) take() uint64 {
	head := c.chain.CurrentBlock()
	number := head.Number.Uint64()
	c.lastSnapshot++
	c.snapshots = append(c.snapshots, &snapshot{
		id: c.lastSnapshot, number: number, hash: head.Hash(), change: c.changes.at(number, head.Hash()),
		settings: c.settings.Load(), offset: c.offset.Load(), txs: c.pooled(),
	})
	if len(c.snapshots) > maxSnapshots {
		c.snapshots = c.snapshots[len(c.snapshots)-maxSnapshots:]
	}
	return c.lastSnapshot
}

// revert brings a snapshot back. It and those after it are gone then. It reports whether there was such a snapshot. The
// lock is held.
func (c *Chain) revert(id uint64) (bool, error) {
	for i, s := range c.snapshots {
		if s.id != id {
			continue
		}
		if err := c.restore(s); err != nil {
			return false, err
		}
		c.snapshots = c.snapshots[:i]
		return true, nil
	}
	return false, nil
}

// restore makes the chain what it was at a snapshot.
func (c *Chain) restore(s *snapshot) error {
	if canonical := c.chain.GetCanonicalHash(s.number); canonical != s.hash {
		return fmt.Errorf("block %d of the snapshot is no longer in the chain: it was %v", s.number, s.hash)
	}
	if err := c.awaitPool(); err != nil {
		return err
	}
	back := c.chain.CurrentBlock().Number.Uint64() > s.number
	c.pool.Clear() // or the pool would take the transactions of the undone blocks again
	if back {
		c.chain.SetFinalized(nil)
		c.chain.SetSafe(nil)
		if err := c.chain.SetHead(s.number); err != nil {
			return fmt.Errorf("go back to block %d: %w", s.number, err)
		}
		if head := c.chain.CurrentBlock(); head.Hash() != s.hash {
			return fmt.Errorf("the chain went back to block %d instead of %d", head.Number, s.number)
		}
	}
	if err := c.changes.truncate(s.number); err != nil {
		return err
	}
	if err := c.changes.set(s.number, s.change); err != nil {
		return err
	}
	if err := c.chain.SyncBlocks(); err != nil {
		return err
	}
	c.offset.Store(s.offset)
	c.set(func(now *settings) { *now = *s.settings })
	if err := c.refreshPool(s.txs); err != nil {
		return err
	}
	// The node service follows the chain with a delay, and marks never go back.
	c.chain.SetFinalized(nil)
	c.chain.SetSafe(nil)
	c.chain.MarkFinal(c.chain.CurrentBlock())
	if !back {
		return nil
	}
	return c.awaitIndex()
}

// indexPatience is how long the index of transactions may take to follow the chain.
const indexPatience = 10 * time.Second

// awaitIndex waits until the index of transactions has followed. Before, the node cannot say that a transaction is not
// there.
func (c *Chain) awaitIndex() error {
	ticker := time.Tick(time.Millisecond)
	for deadline := c.now().Add(indexPatience); !c.chain.TxIndexDone(); <-ticker {
		if c.now().After(deadline) {
			return fmt.Errorf("the index of transactions has not followed the chain in %v", indexPatience)
		}
	}
	return nil
}

// reset makes the chain what it was at its beginning. The lock is held.
func (c *Chain) reset() error {
	// A reset that fails half-way must not keep the number by which tools find what they have deployed.
	if err := c.renewInstance(); err != nil {
		return err
	}
	if err := c.restore(c.beginning()); err != nil {
		return err
	}
	c.snapshots = nil
	clear(c.impersonated)
	return nil
}
