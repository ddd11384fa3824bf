// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package types

import (
	"fmt"
	"sync"

	"github.com/ethereum/go-ethereum/common"
)

// strippedHeader is scratch space for a header without its seals.
type strippedHeader struct {
	header Header
	extra  []byte
}

var strippedHeaderPool = sync.Pool{New: func() any { return new(strippedHeader) }}

// identityHash returns the block hash (spec wbft 1.4): with difficulty 1 and decodable WBFT extra data the round and
// the seals over the block are outside the hash. Only the header decides because Header.Hash has no chain
// configuration: a header of another chain with difficulty 1 and such extra data would be hashed alike.
func (h *Header) identityHash() common.Hash {
	// Upstream hashes a missing header as well, and relies on it.
	if h == nil || h.Difficulty == nil || !h.Difficulty.IsUint64() || h.Difficulty.Uint64() != 1 {
		return rlpHash(h)
	}
	layout, err := parseWBFTExtra(h.Extra)
	if err != nil || !layout.sealed() {
		return rlpHash(h)
	}
	return h.hashUnsealed(&layout, 0)
}

// RoundHash returns the hash that validators seal in the given round: the header with this round and without the seals
// over the block (spec wbft 1.4). It equals Hash for round 0. A header whose extra data is not WBFT's has no round; the
// hash of all its bytes is returned.
func (h *Header) RoundHash(round uint32) common.Hash {
	layout, err := parseWBFTExtra(h.Extra)
	if err != nil {
		return rlpHash(h)
	}
	return h.hashUnsealed(&layout, round)
}

// WithWBFTSeals returns a copy of the header with the items that commit fills in: the round in which the block was
// sealed and the seals over it (spec wbft 1.3). The block hash stays. It fails when the extra data does not decode.
func (h *Header) WithWBFTSeals(round uint32, prepared, committed *WBFTSeal) (*Header, error) {
	extra, err := h.WBFTExtra()
	if err != nil {
		return nil, fmt.Errorf("seal header: %w", err)
	}
	extra.Round, extra.PreparedSeal, extra.CommittedSeal = round, prepared, committed
	sealed := CopyHeader(h)
	sealed.Extra = extra.Encode()
	return sealed, nil
}

func (h *Header) hashUnsealed(layout *wbftLayout, round uint32) common.Hash {
	s := strippedHeaderPool.Get().(*strippedHeader)
	defer strippedHeaderPool.Put(s)
	s.extra = layout.appendUnsealed(s.extra[:0], round)
	s.header = *h
	s.header.Extra = s.extra
	hash := rlpHash(&s.header)
	s.header = Header{} // an idle scratch header must not keep the fields of h alive
	return hash
}
