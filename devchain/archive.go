// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devchain

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"
)

const (
	archiveVersion = 1
	archiveName    = "gwon chain archive"
)

// archiveHead begins an archive: gzip around RLP values, this one first and then a step for each block, genesis
// included.
type archiveHead struct {
	Name    string
	Version uint64
	Genesis common.Hash
}

// archiveStep is a block with its receipts and what was done to the state after it.
type archiveStep struct {
	Block    *types.Block
	Receipts []*types.ReceiptForStorage
	Writes   []write
}

// Export writes the chain from its genesis block on. Receipts are in it for readers that execute nothing.
func (c *Chain) Export(w io.Writer) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	packed := gzip.NewWriter(w)
	if err := rlp.Encode(packed, archiveHead{archiveName, archiveVersion, c.chain.Genesis().Hash()}); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	for number := range c.chain.CurrentBlock().Number.Uint64() + 1 {
		step := archiveStep{Block: c.chain.GetBlockByNumber(number)}
		if step.Block == nil {
			return fmt.Errorf("export: block %d is missing", number)
		}
		for _, r := range c.chain.GetReceiptsByHash(step.Block.Hash()) {
			step.Receipts = append(step.Receipts, (*types.ReceiptForStorage)(r))
		}
		if known := c.changes.at(number, step.Block.Hash()); known != nil {
			step.Writes = known.Writes
		}
		if err := rlp.Encode(packed, step); err != nil {
			return fmt.Errorf("export block %d: %w", number, err)
		}
	}
	if err := packed.Close(); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

// Import verifies and executes the blocks of an archive on a chain that is at its genesis block. It stops at the first
// wrong one, and leaves the chain as it is by then.
func (c *Chain) Import(r io.Reader) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	genesis := c.chain.Genesis().Hash()
	if head := c.chain.CurrentBlock(); head.Number.Sign() != 0 {
		return fmt.Errorf("the chain has %d blocks, and an archive begins with none: reset it, or begin a new one",
			head.Number)
	}
	packed, err := gzip.NewReader(r)
	if err != nil {
		return fmt.Errorf("this is no archive of a chain: %w", err)
	}
	stream := rlp.NewStream(packed, 0)
	var head archiveHead
	switch err := stream.Decode(&head); {
	case err != nil:
		return fmt.Errorf("this is no archive of a chain: %w", err)
	case head.Name != archiveName || head.Version != archiveVersion:
		return fmt.Errorf("this is no archive of a chain that this version reads: %q, version %d", head.Name, head.Version)
	case head.Genesis != genesis:
		return fmt.Errorf("the archive begins with genesis block %v and the chain with %v: import it where that genesis is",
			head.Genesis, genesis)
	}
	for number := uint64(0); ; number++ {
		var step archiveStep
		if err := stream.Decode(&step); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("import block %d: %w", number, err)
		}
		if step.Block.NumberU64() != number {
			return fmt.Errorf("import: block %d stands where block %d has to be", step.Block.NumberU64(), number)
		}
		if number > 0 {
			if _, err := c.chain.InsertChain(types.Blocks{step.Block}); err != nil {
				return fmt.Errorf("import block %d: %w", number, err)
			}
		}
		if len(step.Writes) > 0 {
			if err := c.change(step.Writes...); err != nil {
				return fmt.Errorf("import the changed state after block %d: %w", number, err)
			}
		}
	}
}
