// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package dev

import (
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
)

// Contract addresses that tools expect.
var (
	Create2ProxyAddress = common.HexToAddress("0x4e59b44847b379578588920cA78FbF26c0B4956C")
	Multicall3Address   = common.HexToAddress("0xcA11bde05977b3631167028862bE2a173976CA11")
)

// create2Proxy is the published code of the deterministic deployment proxy, 69 bytes. The code is not compiled here,
// because tools compare its hash. The first 32 bytes of the call data are the salt, the remaining bytes the init
// code.
var create2Proxy = hexutil.MustDecode("0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0" +
	"3601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3")

// Predeploys returns the contracts that tools expect in a genesis block.
func Predeploys() types.GenesisAlloc {
	return types.GenesisAlloc{
		Create2ProxyAddress: {Code: create2Proxy, Nonce: 1, Balance: new(big.Int)},
		Multicall3Address:   {Code: Multicall3(), Nonce: 1, Balance: new(big.Int)},
	}
}
