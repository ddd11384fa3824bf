// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package params

import (
	_ "embed"
	"math/big"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/internal/chains"
)

// Chain IDs of the public networks.
const (
	MainnetChainID = chains.MainnetID
	TestnetChainID = chains.TestnetID
)

// DevnetChainID is the chain ID of a new network of gwon-dev devnet. No public network has it, so that wallets and
// tools keep what belongs to a devnet apart, and no transaction is valid on both.
const DevnetChainID uint64 = 828300

// Network is a public network, with the data for its genesis block and the addresses of its boot nodes (spec chain
// 11).
type Network struct {
	Name        string      // name on the command line
	ID          uint64      // chain ID and network ID
	Difficulty  uint64      // of the genesis header
	GasLimit    uint64      // of the genesis header in the preset; 0 means that of go-ethereum
	StateRoot   common.Hash // of the genesis block
	GenesisHash common.Hash
	Bootnodes   []string // enode URLs

	config func() *ChainConfig
	alloc  func() types.GenesisAlloc
}

// Config returns a new copy of the chain configuration.
func (n Network) Config() *ChainConfig { return n.config() }

// Alloc returns a new copy of the funded accounts, without the system contracts. Balances are in wei.
func (n Network) Alloc() types.GenesisAlloc { return n.alloc() }

// Networks returns the public networks. The genesis timestamp, nonce, mixHash, coinbase and parent hash of both are
// zero.
func Networks() []Network {
	main, test := chains.Mainnet(), chains.Testnet()
	return []Network{
		{
			Name:        main.Name,
			ID:          main.ID,
			Difficulty:  1,
			GasLimit:    105_000_000,
			StateRoot:   common.HexToHash("0x8ce793fd139ec3c4695d5fde9048342148a637582ced00fda13ac7f978f4cc05"),
			GenesisHash: main.Genesis,
			Bootnodes:   strings.Fields(mainnetBootnodes),
			config:      Mainnet,
			alloc:       func() types.GenesisAlloc { return types.GenesisAlloc{} },
		},
		{
			Name:        test.Name,
			ID:          test.ID,
			StateRoot:   common.HexToHash("0x9080703111c1f13dbab77af07b2dc96966e2cec0331f96d5479a16bf3a1b635b"),
			GenesisHash: test.Genesis,
			Bootnodes:   strings.Fields(testnetBootnodes),
			config:      Testnet,
			alloc:       testnetAlloc,
		},
	}
}

// NetworkByID returns the public network with the given chain ID, and reports whether it exists.
func NetworkByID(chainID uint64) (Network, bool) {
	for _, n := range Networks() {
		if n.ID == chainID {
			return n, true
		}
	}
	return Network{}, false
}

// NetworkByName returns the public network with the given command-line name, and reports whether it exists.
func NetworkByName(name string) (Network, bool) {
	for _, n := range Networks() {
		if n.Name == name {
			return n, true
		}
	}
	return Network{}, false
}

// Mainnet returns a new configuration of chain 8282 (spec chain 11). The network is a placeholder with one validator
// and no coins.
func Mainnet() *ChainConfig {
	s := setup{
		members:    []string{"0xaa5faa65e9cc0f74a85b6fdfb5f6991f5c094697"},
		validators: []string{"0xaa5faa65e9cc0f74a85b6fdfb5f6991f5c094697"},
		blsKeys: []string{
			"0xaec493af8fa358a1c6f05499f2dd712721ade88c477d21b799d38e9b84582b6fbe4f4adc21e1e454bc37522eb3478b9b",
		},
		quorum:    1,
		expiry:    DefaultProposalExpirySeconds,
		gasTip:    DefaultGasTip,
		allowance: "10000000000000000000000000000",
	}
	return publicNetwork(MainnetChainID, 0, 10, &s)
}

// testnetBohoBlock is the first Boho block of chain 8283 (spec chain 1.5).
const testnetBohoBlock = 14_408_500

// Testnet returns a new configuration of chain 8283 (spec chain 11).
func Testnet() *ChainConfig {
	s := setup{
		members: slices.Clone(testnetMembers),
		validators: []string{
			"0x9f06600b2c17108662e3840e76bb27c9468eb73d",
			"0x1aa18ec0b3131171b1b1ddba2dffd81410b30a5a",
			"0xe63b413353e1ba4ac99f2bd1892328e2365ec574",
			"0x20f681210071932dbe6387378adf6f26af029f7d",
			"0x5803c14973690550d6ffc2014b7bffd8005f6021",
			"0x59f6e6add1fbeab316a7b17c9f1966b3655efedb",
			"0x0a8dd92ce7ce53bbf6aed40228f9029bb3f92702",
		},
		blsKeys: []string{
			"0x96683524c3b7e224f2146a0dbb87593e3dee21b7d97c1b24ef6ed799c977be40d3dff8e45b7fcdb48f7713095d84dd9c",
			"0x80bd166ebfdb29553801dc22f5b83534945cc2a6dacf39d422383cb3041c8afab8cd430ffc29e9297ba2e114efae487f",
			"0xa418ff21040af17cb3f5109fa075c92d771e508e715230413d6548d54114666011b715d2e60dfd4e20661d5327b67d6d",
			"0xa529026635cf95fd84a9633c62bedaf2a5999f2d5542164086176e24b0c2256a3daa7b76344b631c0bd344895b3f44b9",
			"0xb2aa67ceb23d96e4de5dca871dfbda6ba122a3b5a55b3a00547fdda906ab8e4892e98de4b36b541088ac8ff6de7d6a35",
			"0x88717d8edbabaf65015b656b5a14bc27705bead8a75f81b9bc064b69b7a5e8f5a010d54cdb85b5b3cab16ce5d816062f",
			"0x86949700dc2722f48cd649af74cff788bf17553d19278592ca7be54929d1646d60efd1ea12f9dabd7d0143d9813bfea8",
		},
		quorum:    2,
		expiry:    DefaultProposalExpirySeconds,
		gasTip:    DefaultGasTip,
		allowance: "100000000000000000000000000000",
	}
	return publicNetwork(TestnetChainID, testnetBohoBlock, 140, &s)
}

// publicNetwork completes a configuration from the constants of this file. A test decodes these constants in full.
func publicNetwork(chainID, bohoBlock, epochLength uint64, s *setup) *ChainConfig {
	policy := gethparams.RoundRobin
	s.version = V1
	cfg := londonFromGenesis(chainID, bohoBlock, s.version)
	cfg.Anzeon = &AnzeonConfig{
		WBFT: &WBFTConfig{
			RequestTimeoutSeconds: DefaultRequestTimeoutSeconds,
			BlockPeriodSeconds:    DefaultBlockPeriodSeconds,
			EpochLength:           epochLength,
			ProposerPolicy:        &policy,
		},
		Init:            &WBFTInit{},
		SystemContracts: s.contracts(),

		// The signature of a fee payer is part of block validity from block 0 on (spec transactions 2.4).
		FeePayerCheckBlock: new(uint64(0)),
	}
	for i := range s.validators {
		cfg.Anzeon.Init.Validators = append(cfg.Anzeon.Init.Validators, common.HexToAddress(s.validators[i]))
		cfg.Anzeon.Init.BLSPublicKeys = append(cfg.Anzeon.Init.BLSPublicKeys, hexutil.Bytes(common.FromHex(s.blsKeys[i])))
	}
	return cfg
}

// testnetMembers are the governance members of chain 8283. They and one more account have coins at genesis.
var testnetMembers = []string{
	"0x58f13FE4294652526C4B893b4e4f343B3F184D43",
	"0xE0E5BDD44F679A9A5047A00A51bec82C2288f453",
	"0x4053E68d9b96831625572397C97067982C0415dE",
	"0x56D97Be0616aD783aA93584765cAf33628814bD1",
	"0x79495F15e9D20cDB5DA49adD45b32A3381479002",
	"0x9B690222b5c06Cc67a04Bc31085913f0A9E46746",
	"0xF7AeCcD8fB55ab1684DFd8db493ee6a02A9ac833",
}

func testnetAlloc() types.GenesisAlloc {
	coins := func(exponent int64) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(exponent), nil) }
	alloc := types.GenesisAlloc{
		common.HexToAddress("0xD13657a2F08A266Ca816C96C1a97E888990f485B"): {Balance: coins(28)},
	}
	for _, m := range testnetMembers {
		alloc[common.HexToAddress(m)] = types.Account{Balance: coins(27)}
	}
	return alloc
}

//go:embed bootnodes/mainnet.txt
var mainnetBootnodes string

//go:embed bootnodes/testnet.txt
var testnetBootnodes string
