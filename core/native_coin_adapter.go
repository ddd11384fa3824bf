// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"fmt"
	"math"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/params"
)

// Storage of NativeCoinAdapter (spec system-contracts 2.1).
var (
	slotAdapterMasterMinter   = word(0x0)
	slotAdapterMinters        = word(0x1)
	slotAdapterAllowances     = word(0x2)
	slotAdapterCoinManager    = word(0x6)
	slotAdapterAccountManager = word(0x7)
	slotAdapterName           = word(0x8)
	slotAdapterSymbol         = word(0x9)
	slotAdapterDecimals       = word(0xa)
	slotAdapterCurrency       = word(0xb)
	slotAdapterTotalSupply    = word(0xd)
)

// initNativeCoinAdapter returns the initial storage of NativeCoinAdapter v1 (spec system-contracts 2.3). The total
// supply is the sum of the balances in alloc, the allocation from the user's file.
func initNativeCoinAdapter(p parameters, alloc types.GenesisAlloc) (storage, error) {
	p.warnUnknown("nativeCoinAdapter", nil, "masterMinter", "minters", "minterAllowed", "name", "symbol", "decimals",
		"currency")
	s := make(storage)
	masterMinter, given, err := p.address("masterMinter")
	if err != nil {
		return nil, err
	}
	if !given {
		return nil, fmt.Errorf("parameter \"masterMinter\" is missing: name an address")
	}
	s.setAddress(slotAdapterMasterMinter, masterMinter)

	minters, _, err := p.addresses("minters")
	if err != nil {
		return nil, err
	}
	allowances, allowancesGiven, err := p.amounts("minterAllowed")
	if err != nil {
		return nil, err
	}
	if allowancesGiven && len(allowances) != len(minters) {
		return nil, fmt.Errorf("parameter \"minterAllowed\" has %d items for %d minters", len(allowances), len(minters))
	}
	for i, m := range minters {
		s.setUint(addressMapSlot(m, slotAdapterMinters), 1)
		if allowancesGiven {
			s.setBig(addressMapSlot(m, slotAdapterAllowances), allowances[i])
		}
	}
	for _, t := range []struct {
		name string
		slot common.Hash
	}{
		{"name", slotAdapterName},
		{"symbol", slotAdapterSymbol},
		{"currency", slotAdapterCurrency},
	} {
		text, err := p.text(t.name)
		if err != nil {
			return nil, err
		}
		s.setBytes(t.slot, []byte(text))
	}
	decimals, given, err := p.uint64("decimals")
	if err != nil {
		return nil, err
	}
	if !given || decimals > math.MaxUint8 {
		return nil, fmt.Errorf("parameter \"decimals\" must be given and be 0 to %d", math.MaxUint8)
	}
	s.setUint(slotAdapterDecimals, decimals)
	s.setAddress(slotAdapterCoinManager, params.CoinManagerAddress)
	s.setAddress(slotAdapterAccountManager, params.AccountManagerAddress)

	supply, err := totalSupply(alloc)
	if err != nil {
		return nil, err
	}
	s.setBig(slotAdapterTotalSupply, supply)
	return s, nil
}

// totalSupply returns the sum of all balances in wei.
func totalSupply(alloc types.GenesisAlloc) (*big.Int, error) {
	sum := new(big.Int)
	for _, account := range alloc {
		if account.Balance != nil {
			sum.Add(sum, account.Balance)
		}
	}
	if sum.BitLen() > 256 {
		return nil, fmt.Errorf("the balances of the allocation add up to more than 2^256 - 1")
	}
	return sum, nil
}

// TotalSupply returns the total supply in wei that the NativeCoinAdapter contract at addr holds.
func TotalSupply(state StateReader, addr common.Address) *big.Int {
	return state.GetState(addr, slotAdapterTotalSupply).Big()
}

// TotalSupplySlot returns the slot of the total supply in NativeCoinAdapter (spec system-contracts 2.3).
func TotalSupplySlot() common.Hash { return slotAdapterTotalSupply }
