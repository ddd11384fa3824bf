// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package validators

import (
	"testing"

	"github.com/ethereum/go-ethereum/core/types"

	"gwon/internal/must"
)

// A bitmap from a header never gives an index outside the set, nor one twice.
func FuzzDecodeSealers(f *testing.F) {
	f.Add([]byte{0x0f}, uint16(4))
	f.Add([]byte{0x80, 0x01, 0x00}, uint16(9))
	f.Fuzz(func(t *testing.T, bitmap []byte, n uint16) {
		indices, err := DecodeSealers(bitmap, int(n))
		if err != nil {
			return
		}
		last := -1
		for _, i := range indices {
			must.That(t, i > last && i < int(n), "%x of %d: %v", bitmap, n, indices)
			last = i
		}
		again, err := DecodeSealers(EncodeSealers(indices), int(n))
		must.That(t, err == nil && len(again) == len(indices), "%x of %d: %v, %v", bitmap, n, again, err)
	})
}

// Whatever epoch info a header carries, a set comes out or an error, and the set has what the info says.
func FuzzFromEpochInfo(f *testing.F) {
	f.Add((&types.WBFTExtra{EpochInfo: goodInfo(f)}).Encode())
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := types.DecodeWBFTExtra(data)
		if err != nil {
			return
		}
		s, err := FromEpochInfo(x.EpochInfo)
		if err != nil {
			return
		}
		must.That(t, s.Len() == len(x.EpochInfo.Validators) && s.Len() != 0,
			"%d validators of %d", s.Len(), len(x.EpochInfo.Validators))
		for i := range s.Len() {
			at, ok := s.Index(s.At(i).Address)
			must.That(t, ok && at == i && s.At(i).Key != nil, "validator %d: %v", i, s.At(i))
		}
	})
}
