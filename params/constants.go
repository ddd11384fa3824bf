// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package params

import (
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethparams "github.com/ethereum/go-ethereum/params"
)

type (
	// ChainConfig is a chain configuration of go-ethereum.
	ChainConfig = gethparams.ChainConfig
	// AnzeonConfig is the section "anzeon" (spec chain 1.2).
	AnzeonConfig = gethparams.AnzeonConfig
	// WBFTConfig is the section "wbft" within it.
	WBFTConfig = gethparams.WBFTConfig
	// WBFTInit lists the validators of the first epoch.
	WBFTInit = gethparams.WBFTInit
	// SystemContract is the address, version and parameters of one system contract.
	SystemContract = gethparams.SystemContract
	// SystemContracts names the five system contracts.
	SystemContracts = gethparams.SystemContracts
)

// Fees in wei per unit of gas, and gas limits (spec chain 6.1, 8.2, 9).
const (
	MinBaseFee     uint64 = 20_000_000_000_000 // lower limit of the base fee; base fee of every genesis block
	DefaultGasTip  uint64 = 27_600_000_000_000 // governed tip of a genesis without one
	DefaultGasCeil uint64 = 105_000_000        // block gas limit that proposers steer toward

	// MaxTransactionBytes is the largest encoded size of a transaction that pools take (spec transactions 1.2).
	MaxTransactionBytes = 256 << 10
)

// Bounds of what is read before it is proven.
const (
	// MaxTransactions bounds the transactions of a block: at least 1.4 billion gas, and three seconds of signature
	// recovery on one core.
	MaxTransactions = 1 << 16
	// MaxCode bounds the code of an account, in bytes. Developer chains allow more than networks.
	MaxCode = 1 << 20
)

// Constants of consensus (spec wbft 3.4, 3.5, 8.1).
const (
	InitialDiligence uint64 = 1_900_000 // diligence of a new candidate, in millionths of a seal

	DefaultRequestTimeoutSeconds uint64 = 2
	DefaultBlockPeriodSeconds    uint64 = 1
)

// MaxBlockPeriod is the longest period of a network that is founded here. Longer ones are typing errors.
const MaxBlockPeriod = time.Hour

// Defaults of governance in a generated genesis (spec chain 11.2).
const (
	DefaultProposalExpirySeconds uint64 = 604_800
	DefaultMaxProposals          uint64 = 3
)

// Versions of system contracts. V1 and V2 are those of spec chain 1.2, the others gwon's own with the same
// interfaces.
const (
	V1 = "v1"
	V2 = "v2"
	G1 = "g1"
	G2 = "g2"
)

// Addresses of the system contracts in the presets and generated configurations. A client reads them from the chain
// configuration (spec chain 1.2).
var (
	NativeCoinAdapterAddress = common.HexToAddress("0x1000")
	GovValidatorAddress      = common.HexToAddress("0x1001")
	GovMasterMinterAddress   = common.HexToAddress("0x1002")
	GovMinterAddress         = common.HexToAddress("0x1003")
	GovCouncilAddress        = common.HexToAddress("0x1004")
)

// Addresses of precompiled contracts (spec chain 2.3, 3).
var (
	BLSPossessionAddress  = common.HexToAddress("0xb00001")
	CoinManagerAddress    = common.HexToAddress("0xb00002")
	AccountManagerAddress = common.HexToAddress("0xb00003")
)

// DefaultMinterAllowance returns the default of every allowance parameter in wei, 10^28 (spec system-contracts 4.3).
func DefaultMinterAllowance() *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(28), nil) }
