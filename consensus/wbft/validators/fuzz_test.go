// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package validators

import (
	"testing"

	"github.com/ethereum/go-ethereum/core/types"
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
			if i <= last || i >= int(n) {
				t.Fatalf("%x of %d: %v", bitmap, n, indices)
			}
			last = i
		}
		if again, err := DecodeSealers(EncodeSealers(indices), int(n)); err != nil || len(again) != len(indices) {
			t.Fatalf("%x of %d: %v, %v", bitmap, n, again, err)
		}
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
		if s.Len() != len(x.EpochInfo.Validators) || s.Len() == 0 {
			t.Fatalf("%d validators of %d", s.Len(), len(x.EpochInfo.Validators))
		}
		for i := range s.Len() {
			if at, ok := s.Index(s.At(i).Address); !ok || at != i || s.At(i).Key == nil {
				t.Fatalf("validator %d: %v", i, s.At(i))
			}
		}
	})
}
