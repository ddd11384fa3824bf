// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"errors"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/core/rules"
)

var (
	// ErrOversized means that a block is larger than the chain allows, with the text of go-stablenet (spec wbft 7.3).
	ErrOversized = errors.New("block RLP-encoded size exceeds maximum")

	// ErrHeld means that the seals of a block do not show whether it is final (rules.Doubtful). A sealed child of it or
	// another sealed block of its number shows that.
	ErrHeld = errors.New("releases of go-stablenet differ about the size of the block: it waits for what the network does")
)

// heldBlocks bounds the remembered blocks of doubtful size. Each needs a quorum, so an attacker makes few.
const heldBlocks = 64

// checkSize judges the size of a block by the rule of its chain. Where the chain has no bound, a block that validators
// with the bound seal and then refuse is held until Follow (ADR 0094).
func (e *Engine) checkSize(block *types.Block, size rules.Size) error {
	switch {
	case size == rules.Fits:
		return nil
	case e.config.Anzeon.LimitsBlockSize(block.Number()):
		return ErrOversized
	case size == rules.Oversized || e.followed.Contains(block.Hash()):
		return nil
	}
	e.held.Add(block.Hash(), struct{}{})
	return ErrHeld
}

// Holds reports whether a block was held and has not been followed since.
func (e *Engine) Holds(hash common.Hash) bool {
	return e.held.Contains(hash) && !e.followed.Contains(hash)
}

// Follow ends the doubt about blocks: a quorum has sealed a descendant of each, or the operator vouches for them.
func (e *Engine) Follow(blocks types.Blocks) {
	for _, block := range blocks {
		if rules.SizeOf(block) == rules.Doubtful {
			e.followed.Add(block.Hash(), struct{}{})
		}
	}
}
