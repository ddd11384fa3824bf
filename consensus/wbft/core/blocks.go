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

// maxBlocks is how many proposals of a sequence are remembered with their encoding: as many as there are rounds in which votes
// still count, and a few from certificates. A forgotten one is only examined again.
const maxBlocks = roundWindow + 6

// blocks remembers the proposals of a sequence that have passed the gate. In a round change every validator sends a copy of the
// same block, and a block's hash does not cover its body: the encoding does, so equal bytes need no second look.
type blocks struct {
	list []knownBlock
}

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

// knows tells whether a block is one that find returned or add was given.
func (b *blocks) knows(block *types.Block) bool {
	return slices.ContainsFunc(b.list, func(k knownBlock) bool { return k.block == block })
}

// encode returns the RLP of a block, which is put together only if it is not a known one's. It must not be changed.
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

// add remembers a block that has passed the gate and that a certificate or a proposer stands behind, with its RLP.
func (b *blocks) add(block *types.Block, raw []byte) {
	if b.knows(block) || b.find(raw) != nil {
		return
	}
	if len(b.list) == maxBlocks {
		b.list = slices.Delete(b.list, 0, 1)
	}
	b.list = append(b.list, knownBlock{block, raw})
}

// checkProposal checks what needs neither state nor keys: that the block is well-formed, of this sequence, and a proposal.
func (c *Core) checkProposal(block *types.Block) error {
	if block != nil && c.blocks.knows(block) {
		return nil
	}
	if err := checkUnsealed(block, c.sequence); err != nil {
		return err
	}
	if block.ParentHash() != c.head.Header.Hash() {
		return errors.New("block is not a child of the head")
	}
	return nil
}

// checkUnsealed is checkProposal for a block whose parent need not be known.
func checkUnsealed(block *types.Block, sequence uint64) error {
	if err := rules.ValidateBasic(block); err != nil {
		return err
	}
	if block.NumberU64() != sequence {
		return errors.New("block is of another sequence")
	}
	x, err := block.Header().WBFTExtra()
	if err != nil {
		return err
	}
	if x.Round != 0 || x.PreparedSeal != nil || x.CommittedSeal != nil {
		return errors.New("block is sealed: no proposal is (spec wbft 1.3)")
	}
	return nil
}
