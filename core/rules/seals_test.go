// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rules

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// extraOfSize returns extra data that has a given size without seals.
func extraOfSize(size int) *types.WBFTExtra {
	x := &types.WBFTExtra{Vanity: make([]byte, size)}
	x.Vanity = x.Vanity[:2*size-len(x.Encode())]
	return x
}

// seals puts the largest seals of n validators into extra data, with zeros behind their bitmaps.
func seals(x *types.WBFTExtra, n, zeros int) *types.WBFTExtra {
	bitmap := append(bytes.Repeat([]byte{0xff}, (n+7)/8), make([]byte, zeros)...)
	seal := &types.WBFTSeal{Sealers: bitmap, Signature: make([]byte, sealLength)}
	x.Round, x.PreparedSeal, x.CommittedSeal = math.MaxUint32, seal, seal
	return x
}

func withExtra(x *types.WBFTExtra) *types.Block {
	header := sound().Header()
	header.Extra = x.Encode()
	return types.NewBlockWithHeader(header)
}

// What passes the gate as a proposal passes with any seals, and a block with larger extra data passes as well: it can
// be decided without this node. spec: wbft 1.2, network 2.2
func TestExtraBound(t *testing.T) {
	for _, test := range []struct {
		name string
		size int
		ok   bool
	}{
		{"proposed here", MaxExtra, true},
		{"one byte more", MaxExtra + 1, true},
		{"decided without this node", 2 << 20, true},
		{"larger than a message", maxDecidedExtra + 1, false},
	} {
		for _, n := range []int{0, 1, 4, 22, MaxValidators} {
			t.Run(test.name, func(t *testing.T) {
				x := extraOfSize(test.size)
				if n > 0 {
					x = seals(x, n, 0)
				}
				block := withExtra(x)
				err := ValidateBasic(block)
				var size *ExtraSizeError
				expect.That(t, (err == nil) == test.ok && (err == nil || errors.As(err, &size)), "sealed by %d: %v", n, err)
				if !test.ok {
					return
				}
				raw := must.Get(rlp.EncodeToBytes(block))(t)
				expect.Error(t, expect.Err(OutlineBlock(raw)), nil, "sealed by %d: the outline", n)
			})
		}
	}
}

// Epoch information is bounded before it is decoded: a million keys of a byte each would take 24 MB.
// spec: wbft 1.2
func TestEpochInfoBound(t *testing.T) {
	for _, test := range []struct {
		name string
		keys int
		ok   bool
	}{{"as many keys as validators", MaxValidators, true}, {"a million keys", 1 << 20, false}} {
		t.Run(test.name, func(t *testing.T) {
			x := extraOfSize(MaxExtra)
			x.EpochInfo = &types.EpochInfo{BLSPublicKeys: make([][]byte, test.keys)}
			err := ValidateBasic(withExtra(x))
			expect.That(t, (err == nil) == test.ok, "%v", err)
		})
	}
}

// What the seals of a set may add is known to the byte.
func TestSealedExtraSize(t *testing.T) {
	for _, n := range []int{1, 4, 8, 9, 22, 100, MaxValidators} {
		x := extraOfSize(90_000)
		expect.Equal(t, SealedExtraSize(x, n), len(seals(extraOfSize(90_000), n, 0).Encode()), "%d validators bytes", n)
		expect.That(t, x.PreparedSeal == nil, "the argument was changed")
	}
}

// Seals over a header that no set can have made do not pass.
// spec: wbft 2.5
func TestSealForm(t *testing.T) {
	good, padded := make([]byte, sealLength), append([]byte{15}, make([]byte, 1000)...)
	for _, test := range []struct {
		name string
		seal *types.WBFTSeal
		ok   bool
	}{
		{"four validators", &types.WBFTSeal{Sealers: []byte{15}, Signature: good}, true},
		{"zeros behind the bitmap", &types.WBFTSeal{Sealers: padded, Signature: good}, true},
		{"all validators", &types.WBFTSeal{Sealers: bytes.Repeat([]byte{1}, MaxValidators/8), Signature: good}, true},
		{"more validators", &types.WBFTSeal{Sealers: bytes.Repeat([]byte{1}, MaxValidators/8+1), Signature: good}, false},
		{"short signature", &types.WBFTSeal{Sealers: []byte{15}, Signature: good[1:]}, false},
		{"long signature", &types.WBFTSeal{Sealers: []byte{15}, Signature: append(good[:sealLength:sealLength], 0)}, false},
		{"empty", &types.WBFTSeal{}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, x := range []*types.WBFTExtra{{PreparedSeal: test.seal}, {CommittedSeal: test.seal}} {
				err := ValidateBasic(withExtra(x))
				expect.That(t, (err == nil) == test.ok, "%v", err)
			}
		})
	}
}

// Zeros behind the bitmaps are trimmed, nothing else changes, and what has none stays the same object.
// spec: wbft 2.5
func TestTrimSeals(t *testing.T) {
	plain := withExtra(seals(extraOfSize(100), 4, 0))
	padded := withExtra(seals(extraOfSize(100), 4, 5000))
	expect.Equal(t, TrimSeals(plain), plain, "a block without zeros is copied")
	got := TrimSeals(padded)
	expect.That(t, got.Hash() == padded.Hash() && bytes.Equal(got.Extra(), plain.Extra()), "not the block without zeros")
	foreign := plain.Header()
	foreign.Extra = []byte("foreign")
	expect.Equal(t, TrimHeaderSeals(foreign), foreign, "extra data of another form is touched")
}

// The size of a sealed block is that of its encoding with the largest seals, at every length of the lists around them.
// spec: wbft 1.2
func TestSealedBlockSize(t *testing.T) {
	for _, n := range []int{1, 4, 7, 8, 22, 100, MaxValidators} {
		for _, vanity := range []int{0, 1, 32, 60, 250, 1024, 65_000} {
			x := &types.WBFTExtra{Vanity: make([]byte, vanity)}
			block := withExtra(x)
			sealed := withExtra(seals(&types.WBFTExtra{Vanity: x.Vanity}, n, 0))
			size, err := SealedBlockSize(block.Header(), int(block.Size()), n)
			expect.That(t, err == nil && size == int(sealed.Size()),
				"%d validators, client text of %d bytes: %d (%v), want %d", n, vanity, size, err, sealed.Size())
		}
	}
}

// Up to seven validators add 206 bytes in the largest round to a block whose extra data has the usual length.
// spec: wbft 1.2
func TestLargestProposal(t *testing.T) {
	header := withExtra(extraOfSize(317)).Header()
	for size, want := range map[int]int{8_388_402: MaxBlock, 8_388_403: MaxBlock + 1} {
		sealed, err := SealedBlockSize(header, size, 7)
		expect.That(t, err == nil && sealed == want, "%d bytes become %d (%v), want %d", size, sealed, err, want)
	}
}
