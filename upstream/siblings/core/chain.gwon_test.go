// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/consensus"
	"github.com/ethereum/go-ethereum/consensus/ethash"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/params"
)

// anzeonConfig returns a valid configuration of an Anzeon chain with all forks active and the default contract
// addresses.
func anzeonConfig() *params.ChainConfig {
	contract := func(low byte) *params.SystemContract {
		return &params.SystemContract{Address: common.BytesToAddress([]byte{0x10, low}), Version: "v1"}
	}
	zero := func() *big.Int { return new(big.Int) }
	return &params.ChainConfig{
		ChainID: big.NewInt(8283), HomesteadBlock: zero(), EIP150Block: zero(), EIP155Block: zero(), EIP158Block: zero(),
		ByzantiumBlock: zero(), ConstantinopleBlock: zero(), PetersburgBlock: zero(), IstanbulBlock: zero(),
		MuirGlacierBlock: zero(), BerlinBlock: zero(), LondonBlock: zero(), ApplepieBlock: zero(), BohoBlock: zero(),
		Anzeon: &params.AnzeonConfig{
			WBFT: &params.WBFTConfig{
				RequestTimeoutSeconds: 2, BlockPeriodSeconds: 1, EpochLength: 10, ProposerPolicy: new(uint64),
			},
			Init: &params.WBFTInit{Validators: make([]common.Address, 1), BLSPublicKeys: []hexutil.Bytes{make([]byte, 48)}},
			SystemContracts: &params.SystemContracts{
				NativeCoinAdapter: contract(0), GovValidator: contract(1), GovMasterMinter: contract(2),
				GovMinter: contract(3), GovCouncil: contract(4),
			},
		},
	}
}

// stageEngine is an engine without seals: every header is valid, difficulty is 1 and no reward is paid. Tests set its
// stages.
type stageEngine struct {
	consensus.Engine
	start  func(*types.Header, vm.StateDB) error
	finish func(*types.Header, vm.StateDB) error
}

func newStageEngine() *stageEngine { return &stageEngine{Engine: ethash.NewFaker()} }

func (e *stageEngine) Author(header *types.Header) (common.Address, error) {
	return header.Coinbase, nil
}

func (e *stageEngine) CalcDifficulty(consensus.ChainHeaderReader, uint64, *types.Header) *big.Int {
	return big.NewInt(1)
}

func (e *stageEngine) VerifyHeader(consensus.ChainHeaderReader, *types.Header) error { return nil }

func (e *stageEngine) VerifyHeaders(
	_ consensus.ChainHeaderReader, headers []*types.Header,
) (chan<- struct{}, <-chan error) {
	results := make(chan error, len(headers))
	for range headers {
		results <- nil
	}
	return make(chan struct{}), results
}

func (e *stageEngine) Start(header *types.Header, parentState vm.StateDB) error {
	if e.start == nil {
		return nil
	}
	return e.start(header, parentState)
}

func (e *stageEngine) Finish(
	_ consensus.ChainHeaderReader, header *types.Header, state vm.StateDB, _ *types.Body,
) error {
	if e.finish == nil {
		return nil
	}
	return e.finish(header, state)
}

func (e *stageEngine) Finalize(_ consensus.ChainHeaderReader, header *types.Header, state vm.StateDB, _ *types.Body) {
	if e.finish != nil {
		_ = e.finish(header, state)
	}
}
