// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package checkpoint refuses blocks that do not belong to the chain that the operator trusts, and all blocks while
// imports are not possible.
package checkpoint

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
)

// ErrNotReady means that no block is accepted at the moment.
var ErrNotReady = errors.New("blocks are not imported yet")

// Checkpoint is a block that the chain must contain, as given by the operator. It protects a new node against a
// history forged with lost keys of former validators. With number zero no peer has sent the block yet, and no block
// is imported. A nil checkpoint allows all blocks.
type Checkpoint struct {
	hash   common.Hash
	number atomic.Uint64
}

// New returns a checkpoint for the block with the given hash; nil for the zero hash.
func New(hash common.Hash, chain *gethcore.BlockChain) *Checkpoint {
	if hash == (common.Hash{}) {
		return nil
	}
	c := &Checkpoint{hash: hash}
	if h := chain.GetHeaderByHash(hash); h != nil {
		c.number.Store(h.Number.Uint64())
	}
	return c
}

// Known reports whether the number of the block is known.
func (c *Checkpoint) Known() bool { return c == nil || c.number.Load() != 0 }

// Check refuses headers with another block at the number of the checkpoint.
func (c *Checkpoint) Check(headers []*types.Header) error {
	if c == nil || len(headers) == 0 {
		return nil
	}
	number := c.number.Load()
	if number == 0 {
		return fmt.Errorf("the checkpoint block %v is not known yet", c.hash)
	}
	first := headers[0].Number.Uint64()
	if number < first || number-first >= uint64(len(headers)) {
		return nil
	}
	if have := headers[number-first].Hash(); have != c.hash {
		return fmt.Errorf("block %d is %v, the checkpoint wants %v", number, have, c.hash)
	}
	return nil
}

// Hash returns the hash of the block. The checkpoint must not be nil.
func (c *Checkpoint) Hash() common.Hash { return c.hash }

// Number returns the number of the block, 0 while unknown. The checkpoint must not be nil.
func (c *Checkpoint) Number() uint64 { return c.number.Load() }

// Found records the number of the block from its header, which has the hash of the checkpoint.
func (c *Checkpoint) Found(header *types.Header) { c.number.Store(header.Number.Uint64()) }
