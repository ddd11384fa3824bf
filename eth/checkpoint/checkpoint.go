// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package checkpoint is the gate that every block has to pass besides its own validity: that blocks are imported at all, and that
// they belong to the chain that the operator trusts.
package checkpoint

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
)

// ErrNotReady means that no block is taken at the moment.
var ErrNotReady = errors.New("blocks are not imported yet")

// Checkpoint is a block that the operator knows to be of the right chain: a chain without it is refused. It protects a node
// that starts from nothing against a history forged with keys that old validators have lost. The zero number means that no
// peer has shown the block yet; nothing is imported then. A nil checkpoint allows everything.
type Checkpoint struct {
	hash   common.Hash
	number atomic.Uint64
}

// New returns nil for the zero hash.
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

// Check refuses headers among which another block stands in the place of the checkpoint.
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

// Number returns the number of the block, 0 while it is not known. The checkpoint must not be nil.
func (c *Checkpoint) Number() uint64 { return c.number.Load() }

// Found takes note of the block, which a peer has shown: a header with the hash of the checkpoint.
func (c *Checkpoint) Found(header *types.Header) { c.number.Store(header.Number.Uint64()) }
