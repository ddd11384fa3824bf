// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package txobject

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"
	"pgregory.net/rapid"
)

// The least gas is the intrinsic gas of the execution under the rules of an Anzeon chain (spec transactions 0).
func TestLeastGas(t *testing.T) {
	rules := params.Rules{IsHomestead: true, IsIstanbul: true, IsBerlin: true, IsLondon: true}
	rapid.Check(t, func(r *rapid.T) {
		tx := &Transaction{DynamicFeeTx: types.DynamicFeeTx{
			Data: rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 0xff}), 0, 100).Draw(r, "data"),
		}}
		if rapid.Bool().Draw(r, "call") {
			tx.To = new(common.Address)
		}
		for range rapid.IntRange(0, 3).Draw(r, "accesses") {
			keys := make([]common.Hash, rapid.IntRange(0, 3).Draw(r, "keys"))
			tx.AccessList = append(tx.AccessList, types.AccessTuple{StorageKeys: keys})
		}
		want, err := core.IntrinsicGas(tx.Data, tx.AccessList, nil, common.Address{}, tx.To, new(uint256.Int), rules)
		if err != nil || tx.LeastGas() != want {
			r.Errorf("%d, want %d, %v", tx.LeastGas(), want, err)
		}
	})
}
