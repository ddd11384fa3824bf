// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core_test

import (
	"encoding/json"
	"math/big"
	"os"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"
	gethparams "github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"

	"gwon/core"
	"gwon/internal/expect"
	"gwon/internal/must"
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
	content := must.Get(os.ReadFile("testdata/live-creation.json"))(t)
	must.Do(t, json.Unmarshal(content, &c))
	return c
}

// The live chain made a contract with this code hash for this gas, and so do the rules of its block here.
// spec: transactions 2.5
func TestLiveCreation(t *testing.T) {
	c := loadLiveCreation(t)
	config := params.Testnet()
	tip := new(big.Int).SetUint64(c.GasPrice - params.MinBaseFee)
	header := &types.Header{
		Number: new(big.Int).SetUint64(c.Block), Difficulty: big.NewInt(1), GasLimit: gethparams.GenesisGasLimit,
		BaseFee: new(big.Int).SetUint64(params.MinBaseFee), Extra: (&types.WBFTExtra{GasTip: tip}).Encode(),
	}
	db := must.Get(state.New(types.EmptyRootHash, state.NewDatabaseForTesting()))(t)
	db.SetBalance(c.From, new(uint256.Int).Lsh(uint256.NewInt(1), 100), tracing.BalanceChangeUnspecified)
	evm := vm.NewEVM(gethcore.NewEVMBlockContext(header, nil, &header.Coinbase), db, config, vm.Config{})
	defer evm.Release()
	price := uint256.NewInt(c.GasPrice)
	result, err := gethcore.ApplyMessage(evm, &gethcore.Message{
		From: c.From, Nonce: c.Nonce, Value: new(uint256.Int), GasLimit: 2_000_000, GasPrice: price, GasFeeCap: price,
		GasTipCap: uint256.MustFromBig(tip), Data: c.Input,
	}, nil)
	must.That(t, err == nil && result.Err == nil, "%v %v", err, result)
	expect.That(t, result.UsedGas == c.GasUsed, "gas used %d, the chain has %d", result.UsedGas, c.GasUsed)
	address := crypto.CreateAddress(c.From, c.Nonce)
	expect.That(t, address == c.Contracts[0], "created at %v, the chain has %v", address, c.Contracts[0])
	if hash := db.GetCodeHash(address); hash != c.CodeHash {
		t.Errorf("code hash %v of %d bytes, the chain has %v", hash, db.GetCodeSize(address), c.CodeHash)
	}
}

// The first three contracts of an account of the live chain have the addresses of its first nonces.
func TestLiveContractAddresses(t *testing.T) {
	c := loadLiveCreation(t)
	for nonce, want := range c.Contracts {
		got := crypto.CreateAddress(c.From, uint64(nonce))
		expect.That(t, got == want, "nonce %d: %v, the chain has %v", nonce, got, want)
	}
}

// The genesis block of chain 8283 has the facts of the regression page of its owner (case A-1-01-A): hash, base fee,
// validators in their order, quorum, tip and the allowance of the minter.
// spec: chain 9, 11
func TestLiveGenesisFacts(t *testing.T) {
	networks := params.Networks()
	n := networks[slices.IndexFunc(networks, func(n params.Network) bool { return n.ID == params.TestnetChainID })]
	g, info, err := core.DescribeGenesis(core.NetworkGenesis(n), nil)
	must.Do(t, err)
	if want := "0x2bdf79b3d3cc49f9e6638ff81f3bb85065c79945a8fe4556cd0ff47bbfc02490"; info.Hash.Hex() != want {
		t.Errorf("hash %v, want %s", info.Hash, want)
	}
	expect.Equal(t, hexutil.EncodeBig(info.Header.BaseFee), "0x12309ce54000", "base fee")
	word := func(n uint64) common.Hash { return common.BigToHash(new(big.Int).SetUint64(n)) }
	allowance := crypto.Keccak256Hash(word(0x1003).Bytes(), word(2).Bytes()) // of GovMinter
	for _, c := range []struct {
		contract common.Address
		slot     common.Hash
		want     string
	}{
		{params.GovValidatorAddress, word(0x39), "27600000000000"},
		{params.NativeCoinAdapterAddress, allowance, "100000000000000000000000000000"},
	} {
		value := g.Alloc[c.contract].Storage[c.slot].Big()
		expect.That(t, value.String() == c.want, "%v: slot %v is %v, want %s", c.contract, c.slot, value, c.want)
	}
	anzeon := g.Config.Anzeon
	expect.Equal(t, anzeon.SystemContracts.GovValidator.Params["quorum"], "2", "quorum")
	want := []common.Address{
		common.HexToAddress("0x9f06600b2c17108662e3840e76bb27c9468eb73d"),
		common.HexToAddress("0x1aa18ec0b3131171b1b1ddba2dffd81410b30a5a"),
		common.HexToAddress("0xe63b413353e1ba4ac99f2bd1892328e2365ec574"),
		common.HexToAddress("0x20f681210071932dbe6387378adf6f26af029f7d"),
		common.HexToAddress("0x5803c14973690550d6ffc2014b7bffd8005f6021"),
		common.HexToAddress("0x59f6e6add1fbeab316a7b17c9f1966b3655efedb"),
		common.HexToAddress("0x0a8dd92ce7ce53bbf6aed40228f9029bb3f92702"),
	}
	expect.Slice(t, anzeon.Init.Validators, want, "validators")
	if boho := g.Config.BohoBlock.String(); boho != "14408500" { // the page has the block of go-stablenet 1.0.1
		t.Errorf("Boho at block %s", boho)
	}
}
