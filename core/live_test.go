// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core_test

import (
	"encoding/json"
	"math/big"
	"os"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"gwon/params"
)

// liveCreation is a contract creation of the live chain (testdata/live-creation.json).
type liveCreation struct {
	Block, Nonce, GasUsed, GasPrice uint64
	From                            common.Address
	Input                           hexutil.Bytes
	CodeHash                        common.Hash
	Contracts                       []common.Address
}

func loadLiveCreation(t *testing.T) (c liveCreation) {
	t.Helper()
	content, err := os.ReadFile("testdata/live-creation.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(content, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// The live chain made a contract with this code hash for this gas, and so do the rules of its block here.
// spec: transactions 2.5
func TestLiveCreation(t *testing.T) {
	c := loadLiveCreation(t)
	config := params.Testnet()
	tip := new(big.Int).SetUint64(c.GasPrice - params.MinBaseFee)
	header := &types.Header{
		Number: new(big.Int).SetUint64(c.Block), Difficulty: big.NewInt(1), GasLimit: params.DefaultGenesisGas,
		BaseFee: new(big.Int).SetUint64(params.MinBaseFee), Extra: (&types.WBFTExtra{GasTip: tip}).Encode(),
	}
	db, err := state.New(types.EmptyRootHash, state.NewDatabaseForTesting())
	if err != nil {
		t.Fatal(err)
	}
	db.SetBalance(c.From, new(uint256.Int).Lsh(uint256.NewInt(1), 100), tracing.BalanceChangeUnspecified)
	evm := vm.NewEVM(gethcore.NewEVMBlockContext(header, nil, &header.Coinbase), db, config, vm.Config{})
	defer evm.Release()
	price := uint256.NewInt(c.GasPrice)
	result, err := gethcore.ApplyMessage(evm, &gethcore.Message{
		From: c.From, Nonce: c.Nonce, Value: new(uint256.Int), GasLimit: 2_000_000, GasPrice: price, GasFeeCap: price,
		GasTipCap: uint256.MustFromBig(tip), Data: c.Input,
	}, nil)
	if err != nil || result.Err != nil {
		t.Fatal(err, result)
	}
	if result.UsedGas != c.GasUsed {
		t.Errorf("gas used %d, the chain has %d", result.UsedGas, c.GasUsed)
	}
	address := crypto.CreateAddress(c.From, c.Nonce)
	if address != c.Contracts[0] {
		t.Errorf("created at %v, the chain has %v", address, c.Contracts[0])
	}
	if hash := db.GetCodeHash(address); hash != c.CodeHash {
		t.Errorf("code hash %v of %d bytes, the chain has %v", hash, db.GetCodeSize(address), c.CodeHash)
	}
}

// The first three contracts of an account of the live chain have the addresses of its first nonces.
func TestLiveContractAddresses(t *testing.T) {
	c := loadLiveCreation(t)
	for nonce, want := range c.Contracts {
		if got := crypto.CreateAddress(c.From, uint64(nonce)); got != want {
			t.Errorf("nonce %d: %v, the chain has %v", nonce, got, want)
		}
	}
}
