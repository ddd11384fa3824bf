// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft_test

import (
	"testing"

	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/wbfttest"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// A block that used gas and has no base fee is invalid, and one that used none has nothing to distribute.
// spec: wbft 6.4 step 2
func TestBlockWithoutBaseFee(t *testing.T) {
	net := wbfttest.New(t, 1)
	chain, engine := net.Chain(t)
	genesis := chain.CurrentBlock()
	for gas, want := range map[uint64]bool{0: true, 21_000: false} {
		header := types.CopyHeader(net.Build(t, chain, 0).Header())
		header.BaseFee, header.GasUsed = nil, gas
		state := must.Get(chain.StateAt(genesis.Root, genesis.Number, genesis.Time))(t)
		err := engine.Finish(chain, header, state, nil)
		expect.That(t, (err == nil) == want, "%d gas used: error %v", gas, err)
	}
}
