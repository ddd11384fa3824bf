// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package params

import (
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	gethparams "github.com/ethereum/go-ethereum/params"
)

// The configuration types of go-ethereum's params package, under the names users of this package need.
type (
	ChainConfig     = gethparams.ChainConfig
	AnzeonConfig    = gethparams.AnzeonConfig
	WBFTConfig      = gethparams.WBFTConfig
	WBFTInit        = gethparams.WBFTInit
	SystemContract  = gethparams.SystemContract
	SystemContracts = gethparams.SystemContracts
)

// Fees in wei per gas and gas amounts (spec chain 6.1, 8.2, 9).
const (
	MinBaseFee          uint64 = 20_000_000_000_000     // floor of the base fee, and the base fee of every genesis block
	MaxBaseFee          uint64 = 20_000_000_000_000_000 // ceiling of the base fee
	DefaultGasTip       uint64 = 27_600_000_000_000     // governance tip where a genesis names none
	DefaultGasCeil      uint64 = 105_000_000            // block gas limit proposers steer towards
	DefaultGenesisGas   uint64 = 4_712_388              // gas limit of a genesis that gives none or 0
	DefaultDifficulty   uint64 = 131_072                // difficulty of a genesis that gives none and has a zero mixHash
	WBFTDifficulty      uint64 = 1                      // difficulty of every block after genesis
	MaxTransactionBytes uint64 = 262_144                // largest transaction the pool takes, in bytes
)

// Consensus figures (spec wbft 3.4, 3.5, 8.1).
const (
	InitialDiligence   uint64 = 1_900_000 // diligence of a new candidate, in millionths of a seal
	MaxDiligence       uint64 = 2_000_000
	BLSPublicKeyLength        = 48 // compressed G1 point, in bytes

	DefaultRequestTimeoutSeconds    uint64 = 2
	DefaultBlockPeriodSeconds       uint64 = 1
	DefaultEpochLength              uint64 = 10
	DefaultMaxRequestTimeoutSeconds uint64 = 10 // cap of the round timeout in the networks this package makes
	RoundRobin                      uint64 = 0  // proposerPolicy
	Sticky                          uint64 = 1  // proposerPolicy
)

// Governance defaults of a generated genesis (spec chain 11.2).
const (
	DefaultProposalExpirySeconds uint64 = 604_800
	DefaultMemberVersion         uint64 = 1
	DefaultMaxProposals          uint64 = 3
)

// Network ports: TCP, and UDP for discovery where it is P2P (spec chain 11.1).
const (
	DefaultP2PPort  = 30303
	BootnodePort    = 8589
	DefaultHTTPPort = 8545
	DefaultWSPort   = 8546
	DefaultAuthPort = 8551
)

// Contract versions: those of spec chain 1.2, and those of this project's own contracts with the interfaces of v1 and v2.
const (
	V1 = "v1"
	V2 = "v2"
	G1 = "g1"
	G2 = "g2"
)

// Addresses the presets and the generator give to the system contracts. A client takes them from the chain configuration
// (spec chain 1.2).
var (
	NativeCoinAdapterAddress = common.HexToAddress("0x1000")
	GovValidatorAddress      = common.HexToAddress("0x1001")
	GovMasterMinterAddress   = common.HexToAddress("0x1002")
	GovMinterAddress         = common.HexToAddress("0x1003")
	GovCouncilAddress        = common.HexToAddress("0x1004")
)

// Addresses that are served by the client itself (spec chain 2.3, 3).
var (
	BLSPossessionAddress  = common.HexToAddress("0xb00001")
	CoinManagerAddress    = common.HexToAddress("0xb00002")
	AccountManagerAddress = common.HexToAddress("0xb00003")
)

// DefaultMinterAllowance returns the default of every allowance parameter, 10^28 wei (spec system-contracts 4.3).
func DefaultMinterAllowance() *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(28), nil) }
