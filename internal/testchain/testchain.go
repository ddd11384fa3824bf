// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package testchain has what tests of RPC need of a chain without consensus: keys, a configuration, and an engine that
// accepts every block.
package testchain

import (
	"bytes"
	"crypto/ecdsa"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/consensus"
	"github.com/ethereum/go-ethereum/consensus/ethash"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/params"
)

// Governed gas tip and base fee of the chain in wei (spec transactions 0).
const (
	Tip     = 27_600_000_000_000
	BaseFee = 20_000_000_000_000
)

// Key returns the private key of 32 bytes n, a test key of the vectors. It panics for 0.
func Key(n byte) *ecdsa.PrivateKey {
	key, err := crypto.ToECDSA(bytes.Repeat([]byte{n}, 32))
	if err != nil {
		panic(err)
	}
	return key
}

// Address returns the account of Key(n).
func Address(n byte) common.Address { return crypto.PubkeyToAddress(Key(n).PublicKey) }

// Engine accepts every block and gives it difficulty 1, like every block of an Anzeon chain after genesis.
type Engine struct{ *ethash.Ethash }

// NewEngine returns an engine.
func NewEngine() Engine { return Engine{ethash.NewFullFaker()} }

// CalcDifficulty implements consensus.Engine.
func (Engine) CalcDifficulty(consensus.ChainHeaderReader, uint64, *types.Header) *big.Int {
	return big.NewInt(1)
}

// Prepare implements consensus.Engine.
func (Engine) Prepare(_ consensus.ChainHeaderReader, header *types.Header) error {
	header.Difficulty = big.NewInt(1)
	return nil
}

// Config returns the configuration of an Anzeon chain with ID 8283, all forks at block 0 and Address(9) as validator.
func Config() *params.ChainConfig {
	zero := new(big.Int)
	contract := func(address int64) *params.SystemContract {
		return &params.SystemContract{Address: common.BigToAddress(big.NewInt(address)), Version: "v1"}
	}
	return &params.ChainConfig{
		ChainID: big.NewInt(8283), HomesteadBlock: zero, EIP150Block: zero, EIP155Block: zero, EIP158Block: zero,
		ByzantiumBlock: zero, ConstantinopleBlock: zero, PetersburgBlock: zero, IstanbulBlock: zero,
		BerlinBlock: zero, LondonBlock: zero, ApplepieBlock: zero, BohoBlock: zero,
		Anzeon: &params.AnzeonConfig{
			WBFT: &params.WBFTConfig{RequestTimeoutSeconds: 2, BlockPeriodSeconds: 1, EpochLength: 10,
				ProposerPolicy: new(uint64)},
			Init: &params.WBFTInit{Validators: []common.Address{Address(9)},
				BLSPublicKeys: []hexutil.Bytes{make([]byte, 48)}},
			SystemContracts: &params.SystemContracts{
				GovValidator: contract(0x1001), NativeCoinAdapter: contract(0x1000), GovMinter: contract(0x1003),
				GovMasterMinter: contract(0x1002), GovCouncil: contract(0x1004),
			},
		},
	}
}
