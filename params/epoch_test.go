// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package params

import (
	"math/big"
	"testing"

	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/internal/expect"
)

// A transition that changes the epoch length starts a new epoch (spec wbft 3.4).
func TestNextEpochBlock(t *testing.T) {
	config := &gethparams.ChainConfig{Anzeon: &gethparams.AnzeonConfig{WBFT: &gethparams.WBFTConfig{EpochLength: 10}}}
	config.Transitions = []gethparams.Transition{{Block: big.NewInt(25),
		WBFTConfig: &gethparams.WBFTConfig{EpochLength: 4}}}
	for _, c := range []struct{ number, want uint64 }{{0, 10}, {10, 20}, {20, 25}, {25, 29}, {29, 33}} {
		expect.Equal(t, NextEpochBlock(config, c.number), c.want, "after %d comes", c.number)
	}
}
