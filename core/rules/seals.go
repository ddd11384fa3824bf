// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rules

import (
	"bytes"
	"fmt"
	"math"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"
)

const (
	// MaxValidators bounds what is read from state and headers. Honest state stays far below: a governance body has at
	// most 255 members, each with one validator.
	MaxValidators = 4096

	// MaxExtra is the limit in bytes of the sealed extra data of a proposed or pushed block. A node of go-stablenet
	// refuses a larger pushed block, but votes for it and accepts it on request. Such a block can be decided without
	// this node.
	MaxExtra = 100 << 10

	// MaxBlock is the size in bytes of the largest block that later releases of go-stablenet accept: the RLP of the sealed
	// block. Release 1.1.0 has no such bound.
	MaxBlock = 8 << 20

	// maxDecidedExtra bounds the extra data of any block: what fits into the message that proposed it.
	maxDecidedExtra = 10 << 20

	// maxEpochInfo bounds the RLP of epoch information of MaxValidators in bytes. Decoded it takes up to 24 times as much.
	maxEpochInfo = 512 << 10

	sealLength = 96 // of a BLS signature (spec wbft 2.1)
)

// SealedExtraSize returns how many bytes the extra data of a header can have once n validators have sealed it, in any
// round.
func SealedExtraSize(unsealed *types.WBFTExtra, n int) int { return len(sealedByAll(unsealed, n)) }

// sealedByAll returns the longest extra data that the seals of n validators can make.
func sealedByAll(unsealed *types.WBFTExtra, n int) []byte {
	all := &types.WBFTSeal{Sealers: bytes.Repeat([]byte{0xff}, (n+7)/8), Signature: make([]byte, sealLength)}
	sealed := *unsealed
	sealed.Round, sealed.PreparedSeal, sealed.CommittedSeal = math.MaxUint32, all, all
	return sealed.Encode()
}

// SealedBlockSize returns how many bytes the RLP of a block can have once n validators have sealed it, in any round.
// The size is that of the block without these seals.
func SealedBlockSize(header *types.Header, size, n int) (int, error) {
	x, err := header.WBFTExtra()
	if err != nil {
		return 0, err
	}
	longest := types.CopyHeader(header)
	longest.Extra = sealedByAll(x, n)
	return sizeWith(size, header, longest)
}

// sizeWith returns the size of a block in bytes once its header, with which it has size bytes, is replaced.
func sizeWith(size int, header, other *types.Header) (int, error) {
	before, err := rlp.EncodeToBytes(header)
	if err != nil {
		return 0, err
	}
	after, err := rlp.EncodeToBytes(other)
	if err != nil {
		return 0, err
	}
	content := uint64(size) // of the list, without its head
	for rlp.ListSize(content) > uint64(size) {
		content--
	}
	return int(rlp.ListSize(content - uint64(len(before)) + uint64(len(after)))), nil
}

// checkExtra checks the size of extra data and the form of the seals over the header. Zeros behind the bitmaps of these
// are good: nodes of go-stablenet keep and serve them (spec wbft 2.5).
func checkExtra(extra []byte) error {
	if len(extra) > maxDecidedExtra {
		return &ExtraSizeError{len(extra), maxDecidedExtra}
	}
	if err := checkEpochInfo(extra); err != nil {
		return err
	}
	x, err := types.DecodeWBFTExtra(extra)
	if err != nil {
		return err
	}
	for _, seal := range []*types.WBFTSeal{x.PreparedSeal, x.CommittedSeal} {
		switch {
		case seal == nil:
		case len(seal.Signature) != sealLength:
			return fmt.Errorf("seal has %d bytes, want %d", len(seal.Signature), sealLength)
		case len(trimmed(seal.Sealers)) > MaxValidators/8:
			return fmt.Errorf("bitmap of a seal names more than %d validators", MaxValidators)
		}
	}
	return nil
}

// checkEpochInfo bounds the epoch information, the last item of extra data, before it is decoded.
func checkEpochInfo(extra []byte) error {
	if len(extra) <= MaxExtra {
		return nil
	}
	rest, _, err := rlp.SplitList(extra)
	if err != nil {
		return err
	}
	for len(rest) > 0 {
		_, _, after, err := rlp.Split(rest)
		if err != nil {
			return err
		}
		if size := len(rest) - len(after); len(after) == 0 && size > maxEpochInfo {
			return fmt.Errorf("epoch information has %d bytes, at most %d are allowed", size, maxEpochInfo)
		}
		rest = after
	}
	return nil
}

// ExtraSizeError means that the extra data of a header is too large.
type ExtraSizeError struct{ Size, Limit int } // bytes

// Error implements error.
func (e *ExtraSizeError) Error() string {
	return fmt.Sprintf("extra data has %d bytes, at most %d are allowed", e.Size, e.Limit)
}

// TrimSeals returns a block without trailing zeros in the bitmaps of its seals, the same block if there are none. The
// hash omits these seals, so any node can create copies with up to a message of zeros. The trimmed seals verify as
// before.
func TrimSeals(block *types.Block) *types.Block {
	header := block.Header()
	if trimmed := TrimHeaderSeals(header); trimmed != header {
		return block.WithSeal(trimmed)
	}
	return block
}

// TrimHeaderSeals is TrimSeals for a header. A header with invalid extra data is returned unchanged.
func TrimHeaderSeals(header *types.Header) *types.Header {
	x, err := header.WBFTExtra()
	if err != nil || isTrimmed(x.PreparedSeal) && isTrimmed(x.CommittedSeal) {
		return header
	}
	out, err := header.WithWBFTSeals(x.Round, TrimSeal(x.PreparedSeal), TrimSeal(x.CommittedSeal))
	if err != nil {
		return header
	}
	return out
}

// TrimSeal returns a seal without zeros behind its bitmap, the same one if there are none.
func TrimSeal(seal *types.WBFTSeal) *types.WBFTSeal {
	if isTrimmed(seal) {
		return seal
	}
	return &types.WBFTSeal{Sealers: trimmed(seal.Sealers), Signature: seal.Signature}
}

// SealPadding returns the number of zero bytes at the end of a seal's bitmap, which mean nothing (spec wbft 2.5). The
// seal may be nil.
func SealPadding(seal *types.WBFTSeal) int {
	if seal == nil {
		return 0
	}
	return len(seal.Sealers) - len(trimmed(seal.Sealers))
}

func isTrimmed(seal *types.WBFTSeal) bool {
	return seal == nil || len(seal.Sealers) == 0 || seal.Sealers[len(seal.Sealers)-1] != 0
}

func trimmed(bitmap []byte) []byte { return bytes.TrimRight(bitmap, "\x00") }
