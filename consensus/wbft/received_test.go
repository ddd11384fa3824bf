// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft_test

import (
	"bytes"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/wbfttest"
)

// A header keeps good seals that differ from those of its child, and no others. What the end of a run does not vouch for is not received.
// spec: wbft 1.4, 7.1 (16, 17)
func TestReceive(t *testing.T) {
	const count, at = 2*wbfttest.EpochLength + 2, wbfttest.EpochLength // at is that of an epoch block
	net := wbfttest.New(t, 4)
	origin, judge := net.Chain(t)
	blocks := net.Extend(t, origin, count)
	came := func(n int, change func(block *types.Block) *types.Block) []*types.Header {
		headers := headersOf(blocks)
		headers[n-1] = change(blocks[n-1]).Header()
		return headers
	}
	otherwise := func(round uint32) func(*types.Block) *types.Block {
		return func(block *types.Block) *types.Block {
			set, err := judge.ValidatorsFor(origin, block.Header())
			if err != nil {
				t.Fatal(err)
			}
			other := *net
			other.Away = set.At(0).Address
			return other.SealBy(t, set, block, round)
		}
	}
	foreign := func(block *types.Block) *types.Block {
		return block.WithSeal(reseal(t, block.Header(), blocks[0].Header()))
	}
	short := func(block *types.Block) *types.Block {
		header := block.Header()
		x, err := header.WBFTExtra()
		if err != nil {
			t.Fatal(err)
		}
		x.PreparedSeal.Signature = x.PreparedSeal.Signature[:95]
		header.Extra = x.Encode()
		return block.WithSeal(header)
	}
	for _, test := range []struct {
		name    string
		headers []*types.Header
		want    func(came *types.Header) *types.Header // header at is stored so; nil for nothing received
		damaged int
	}{
		{"of another quorum", came(at, otherwise(0)), func(h *types.Header) *types.Header { return h }, 0},
		{"of another quorum and round", came(at, otherwise(3)), func(h *types.Header) *types.Header { return h }, 0},
		{"of another block", came(at, foreign), func(*types.Header) *types.Header { return blocks[at-1].Header() }, 1},
		{"too short", came(at, short), func(*types.Header) *types.Header { return blocks[at-1].Header() }, 1},
		{"padded", came(at, func(b *types.Block) *types.Block { return padded(t, b, false) }),
			func(*types.Header) *types.Header { return blocks[at-1].Header() }, 0},
		{"of another block, at the end", came(count, foreign), nil, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, vouched := range []bool{true, false} {
				chain, engine := net.Chain(t)
				kept, damaged, err := engine.Receive(chain, test.headers, vouched)
				if test.want == nil {
					if err == nil {
						t.Error("a run that nothing vouches for is received")
					}
					continue
				}
				if err != nil || damaged != test.damaged {
					t.Fatalf("%d damaged, want %d, %v", damaged, test.damaged, err)
				}
				if want := test.want(test.headers[at-1]); !bytes.Equal(kept[at-1].Extra, want.Extra) {
					t.Errorf("stored as %x, want %x", kept[at-1].Extra, want.Extra)
				}
				for i, err := range errorsOf(engine, chain, kept) {
					if err != nil {
						t.Errorf("header %d: %v", i+1, err)
					}
				}
			}
		})
	}
}
