// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wkrc

import (
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
)

// Chain IDs of the network, and that of a network of gwon-dev devnet unless told otherwise.
const (
	MainnetChainID = 8282
	TestnetChainID = 8283
	DevnetChainID  = 828300
)

// BlockPeriod is the time between two blocks. A block is final at once.
const BlockPeriod = time.Second

// Addresses of the system contracts, the same on every chain of the network.
var (
	// CoinAddress is the contract of the coin as an ERC-20 token with EIP-2612 and EIP-3009. It emits Transfer for every
	// movement of coins.
	CoinAddress = common.HexToAddress("0x1000")

	// GovValidatorAddress, GovMasterMinterAddress, GovMinterAddress and GovCouncilAddress are the governing contracts.
	GovValidatorAddress    = common.HexToAddress("0x1001")
	GovMasterMinterAddress = common.HexToAddress("0x1002")
	GovMinterAddress       = common.HexToAddress("0x1003")
	GovCouncilAddress      = common.HexToAddress("0x1004")
)

// InitialTip returns the tip in wei that both networks began with. Validators change it by vote: ask
// [Client.SuggestGasTipCap] for the present one.
func InitialTip() *big.Int { return big.NewInt(27_600_000_000_000) }

// LowestBaseFee returns the lowest base fee in wei that a block can have.
func LowestBaseFee() *big.Int { return big.NewInt(20_000_000_000_000) }
