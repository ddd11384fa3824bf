// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/core/rules"
)

// blocks holds the proposals of a sequence that have passed the gate. A hash does not cover the body of a block, but
// the encoding does (docs/adr/0004-blocks-are-their-bytes.md). Equal bytes are examined once.
type blocks struct {
	list []knownBlock
}

// knownBlock is a block with its RLP.
type knownBlock struct {
	block *types.Block
	raw   []byte
}

// find returns the block with this encoding, or nil.
func (b *blocks) find(raw []byte) *types.Block {
	for _, k := range b.list {
		if bytes.Equal(k.raw, raw) {
			return k.block
		}
	}
	return nil
}

// byHash returns a block with this hash, or nil.
func (b *blocks) byHash(hash common.Hash) *types.Block {
	for _, k := range b.list {
		if k.block.Hash() == hash {
			return k.block
		}
	}
	return nil
}

// knows reports whether find returned the block or add was given it.
func (b *blocks) knows(block *types.Block) bool {
	return slices.ContainsFunc(b.list, func(k knownBlock) bool { return k.block == block })
}

// encode returns the RLP of a block, without work if the block is known. The result must not be changed.
func (b *blocks) encode(block *types.Block) ([]byte, error) {
	for _, k := range b.list {
		if k.block == block {
			return k.raw, nil
		}
	}
	return rlp.EncodeToBytes(block)
}

// remember is add for a block whose RLP is not at hand.
func (b *blocks) remember(block *types.Block) error {
	raw, err := b.encode(block)
	if err != nil {
		return fmt.Errorf("encode block: %w", err)
	}
	b.add(block, raw)
	return nil
}

// add keeps a block that has passed the gate and is proposed or prepared, with its RLP.
func (b *blocks) add(block *types.Block, raw []byte) {
	if b.knows(block) || b.find(raw) != nil {
		return
	}
	if len(b.list) == maxBlocks {
		b.list = slices.Delete(b.list, 0, 1)
	}
	b.list = append(b.list, knownBlock{block, raw})
}

// checkUnsealed is the gate for a block of a sequence whose parent need not be known.
func checkUnsealed(block *types.Block, sequence uint64) error {
	if err := rules.ValidateBasic(block); err != nil {
		return err
	}
	if block.NumberU64() != sequence {
		return fmt.Errorf("block is of sequence %d, want %d", block.NumberU64(), sequence)
	}
	x, err := block.Header().WBFTExtra()
	if err != nil {
		return err
	}
	if x.Round != 0 || x.PreparedSeal != nil || x.CommittedSeal != nil {
		return errors.New("block is sealed, which no proposal is (spec wbft 1.3)")
	}
	return nil
}
