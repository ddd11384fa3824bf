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
	return SizeWith(block, block.Header())
}

// SizeWith is SizeOf for a block with another header, as the one with its seals. Of a block whose size is known, only
// headers are encoded.
func SizeWith(block *types.Block, header *types.Header) Size {
	fits := func(with *types.Header) bool {
		size, err := sizeWith(int(block.Size()), block.Header(), with)
		return err == nil && size <= MaxBlock
	}
	if fits(header) || fits(TrimHeaderSeals(header)) {
		return Fits
	}
	if unsealed, err := header.WithWBFTSeals(0, nil, nil); err == nil && fits(unsealed) {
		return Doubtful
	}
	return Oversized
}
