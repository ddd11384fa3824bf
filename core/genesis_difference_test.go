// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// CompareGenesis distinguishes missing code from another chain, in both directions (spec chain 9, 9.1).
func TestCompareGenesis(t *testing.T) {
	codes := useTestCodes(t)
	for _, boho := range []uint64{0, 7} {
		with, _, err := BuildGenesis(devnet(t, boho), codes)
		must.Do(t, err)
		without, _, err := BuildGenesis(devnet(t, boho), nil)
		must.Do(t, err)
		changed := devnet(t, boho)
		changed.Alloc[common.Address{0xbe}] = types.Account{Balance: big.NewInt(1)}
		other, _, err := BuildGenesis(changed, codes)
		must.Do(t, err)
		for _, c := range []struct {
			name string
			got  GenesisDifference
			want GenesisDifference
		}{
			{"here without", CompareGenesis(without, with.ToBlock().Hash()), CodeMissingHere},
			{"there without", CompareGenesis(with, without.ToBlock().Hash()), CodeMissingThere},
			{"another", CompareGenesis(with, other.ToBlock().Hash()), OtherGenesis},
			{"another, here without", CompareGenesis(without, other.ToBlock().Hash()), OtherGenesis},
		} {
			t.Run(c.name, func(t *testing.T) {
				expect.Equal(t, c.got, c.want, "boho %d, %s", boho, c.name)
			})
		}
	}
}
