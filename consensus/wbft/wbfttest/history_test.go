// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbfttest_test

import (
	"testing"

	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/wbfttest"
)

// A chain that was made quickly is byte by byte the one that the validators seal one by one, and verifies.
func TestHistory(t *testing.T) {
	const count = 3*wbfttest.EpochLength + 1
	net := wbfttest.New(t, 4)
	quick := net.History(t, count, func(*types.Header) []*types.Transaction { return nil })
	slow, _ := net.Chain(t)
	net.Extend(t, slow, count)
	verified, _ := net.Chain(t)
	for n := uint64(1); n <= count; n++ {
		block := quick.GetBlockByNumber(n)
		if want := slow.GetHeaderByNumber(n); block.Hash() != want.Hash() || string(block.Extra()) != string(want.Extra) {
			t.Fatalf("block %d differs", n)
		}
		if _, err := verified.InsertChain(types.Blocks{block}); err != nil {
			t.Fatal(err)
		}
	}
}
