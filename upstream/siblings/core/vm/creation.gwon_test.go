// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package vm

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Spec chain 4 and 14 item 2: a creation clears an account but for its balance, and a failing one restores it; on
// another chain storage stays.
func TestCreationOverAccount(t *testing.T) {
	var (
		caller = common.Address{1}
		target = crypto.CreateAddress(caller, 0)
		slot   = common.Hash{31: 1}
	)
	anzeon := *params.TestChainConfig
	anzeon.Anzeon = &params.AnzeonConfig{SystemContracts: &params.SystemContracts{
		NativeCoinAdapter: &params.SystemContract{Address: common.Address{18: 0x10}},
		GovCouncil:        &params.SystemContract{Address: common.Address{18: 0x10, 19: 4}},
	}}
	kept, later := anzeon, anzeon
	this, next := uint64(1), uint64(2)
	kept.Anzeon = &params.AnzeonConfig{SystemContracts: anzeon.Anzeon.SystemContracts, KeepFlagsBlock: &this}
	later.Anzeon = &params.AnzeonConfig{SystemContracts: anzeon.Anzeon.SystemContracts, KeepFlagsBlock: &next}
	for _, c := range []struct {
		name   string
		config *params.ChainConfig
		code   []byte
		slot   common.Hash
		extra  uint64
	}{
		{"anzeon", &anzeon, nil, common.Hash{}, 0},
		{"anzeon, flags kept from this block on", &kept, nil, common.Hash{}, types.AccountAuthorized},
		{"anzeon, flags kept from the next block on", &later, nil, common.Hash{}, 0},
		{"anzeon, reverting", &anzeon, common.FromHex("60006000fd"), slot, types.AccountAuthorized},
		{"other chain", params.TestChainConfig, nil, slot, types.AccountAuthorized},
	} {
		statedb := must.Get(state.New(types.EmptyRootHash, state.NewDatabaseForTesting()))(t)
		statedb.SetBalance(target, uint256.NewInt(5), tracing.BalanceChangeUnspecified)
		statedb.SetAuthorized(target, true)
		statedb.SetState(target, slot, slot)
		statedb.Finalise(params.Rules{})
		evm := NewEVM(BlockContext{
			CanTransfer: func(StateDB, common.Address, *uint256.Int) bool { return true },
			Transfer:    func(StateDB, common.Address, common.Address, *uint256.Int, *params.Rules) {},
			BlockNumber: big.NewInt(1),
			Difficulty:  big.NewInt(1),
			BaseFee:     new(big.Int),
			GasLimit:    1_000_000,
		}, statedb, c.config, Config{})
		_, addr, _, err := evm.Create(caller, c.code, NewGasBudget(100_000, 0), new(uint256.Int))
		require.Truef(t, (err == nil) == (c.code == nil) && addr == target, "%s: created %v, %v", c.name, addr, err)
		assert.Equalf(t, c.slot, statedb.GetState(target, slot), "%s: slot", c.name)
		assert.Equalf(t, c.extra, statedb.GetExtra(target), "%s: extra", c.name)
		got := statedb.GetBalance(target)
		assert.Truef(t, got.Uint64() == 5, "%s: balance %v, want 5", c.name, got)
	}
}
