// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rules

import "github.com/ethereum/go-ethereum/core/types"

// Size tells what releases of go-stablenet make of the size of a block: 1.1.0 has no bound, later ones refuse a sealed
// block above MaxBlock (spec wbft 7.3).
type Size int

const (
	// Fits is a block that every release accepts.
	Fits Size = iota
	// Doubtful is a block that fits without its seals and is too large with them. Validators with the bound seal it,
	// refuse it and decide another one, so that its seals do not show whether it is final.
	Doubtful
	// Oversized is a block that validators with the bound never seal.
	Oversized
)

// SizeOf judges the size of a block, sealed or not. Zeros behind the bitmaps of its seals do not count: anyone can add
// them without changing the hash.
func SizeOf(block *types.Block) Size {
	if block.Size() <= MaxBlock {
		return Fits
	}
	trimmed := TrimSeals(block)
	if trimmed.Size() <= MaxBlock {
		return Fits
	}
	header, err := trimmed.Header().WithWBFTSeals(0, nil, nil)
	if err == nil && trimmed.WithSeal(header).Size() <= MaxBlock {
		return Doubtful
	}
	return Oversized
}
