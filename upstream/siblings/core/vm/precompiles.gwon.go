// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package vm

import (
	"bytes"
	"maps"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/params"
)

// Addresses of spec chain 2.3. The two managers are not precompiles: see native.
var (
	BLSPossessionAddress  = common.HexToAddress("0xb00001")
	CoinManagerAddress    = common.HexToAddress("0xb00002")
	AccountManagerAddress = types.AccountManagerAddress
)

// PrecompiledContractsAnzeon is the set of Anzeon chains before Boho, PrecompiledContractsBoho from Boho on.
var (
	PrecompiledContractsAnzeon = withPrecompile(
		withPrecompile(PrecompiledContractsCancun, common.Address{19: 0x0a}, &pointEvaluation{}),
		BLSPossessionAddress, &blsPossession{})
	PrecompiledContractsBoho = withPrecompile(PrecompiledContractsAnzeon, common.Address{18: 1}, &p256Verify{})
)

// Addresses that are warm in every transaction: the precompiles and the native managers, in ascending order.
var (
	PrecompiledAddressesAnzeon = warmAddresses(PrecompiledContractsAnzeon)
	PrecompiledAddressesBoho   = warmAddresses(PrecompiledContractsBoho)
)

func withPrecompile(set PrecompiledContracts, addr common.Address, p PrecompiledContract) PrecompiledContracts {
	set = maps.Clone(set)
	set[addr] = p
	return set
}

func warmAddresses(set PrecompiledContracts) []common.Address {
	list := append(slices.Collect(maps.Keys(set)), CoinManagerAddress, AccountManagerAddress)
	slices.SortFunc(list, func(a, b common.Address) int { return bytes.Compare(a[:], b[:]) })
	return list
}

// anzeonPrecompiles returns the set that these rules make active. The pointer is the key of the result cache.
func anzeonPrecompiles(rules params.Rules) *PrecompiledContracts {
	if rules.IsBoho {
		return &PrecompiledContractsBoho
	}
	return &PrecompiledContractsAnzeon
}

// anzeonWarmAddresses returns the addresses that are warm under these rules.
func anzeonWarmAddresses(rules params.Rules) []common.Address {
	if rules.IsBoho {
		return PrecompiledAddressesBoho
	}
	return PrecompiledAddressesAnzeon
}
