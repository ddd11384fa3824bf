// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package checkpoint

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/wbfttest"
	"gwon/internal/expect"
)

// Headers with another block at the number of the checkpoint are refused, and all headers while that number is
// unknown.
func TestCheck(t *testing.T) {
	net := wbfttest.New(t, 1)
	chain, _ := net.Chain(t)
	blocks := net.Extend(t, chain, 4)
	var headers []*types.Header
	for _, b := range blocks {
		headers = append(headers, b.Header())
	}
	empty, _ := net.Chain(t)
	c := New(blocks[1].Hash(), empty)
	expect.That(t, !c.Known() && c.Check(headers) != nil && c.Check(headers[2:]) != nil,
		"the place of the block is not known, and headers pass")
	c.Found(headers[1])
	foreign := types.CopyHeader(headers[1])
	foreign.Time++
	for _, test := range []struct {
		name    string
		headers []*types.Header
		good    bool
	}{
		{"none", nil, true},
		{"with the block", headers, true},
		{"beginning with it", headers[1:], true},
		{"ending with it", headers[:2], true},
		{"all after it", headers[2:], true},
		{"all before it", headers[:1], true},
		{"another one in its place", []*types.Header{headers[0], foreign, headers[2]}, false},
		{"another one alone", []*types.Header{foreign}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := c.Check(test.headers)
			expect.That(t, (err == nil) == test.good, "%s: %v", test.name, err)
		})
	}
	if here := New(blocks[1].Hash(), chain); !here.Known() || here.Number() != 2 || here.Hash() != blocks[1].Hash() {
		t.Errorf("a block of the own chain is at %d, want 2", here.Number())
	}
	if c := New(common.Hash{}, chain); c != nil || !c.Known() || c.Check([]*types.Header{foreign}) != nil {
		t.Error("without a checkpoint something is refused")
	}
}
