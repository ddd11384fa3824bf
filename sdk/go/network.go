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

// MainnetGenesis returns the first block of the main network, which appoints one validator: the holder of its one key
// can forge any proof from there. A later block, whose hash comes from a source that the reader trusts, makes proofs
// shorter and old keys of validators harmless.
func MainnetGenesis() Checkpoint {
	return Checkpoint{big.NewInt(MainnetChainID), 0, common.HexToHash(
		"0xf192f2ba82c9265777bad7d33b7fd561430ae5e1f60f2e99c893073c81dc5b7b")}
}

// TestnetGenesis returns the first block of the test network.
func TestnetGenesis() Checkpoint {
	return Checkpoint{big.NewInt(TestnetChainID), 0, common.HexToHash(
		"0x2bdf79b3d3cc49f9e6638ff81f3bb85065c79945a8fe4556cd0ff47bbfc02490")}
}
