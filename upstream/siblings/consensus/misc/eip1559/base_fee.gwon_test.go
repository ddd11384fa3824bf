// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eip1559

import (
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/params"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func anzeonConfig() *params.ChainConfig {
	config := *params.TestChainConfig
	config.Anzeon = new(params.AnzeonConfig)
	return &config
}

func readVectors(t *testing.T, name string, into any) {
	t.Helper()
	data := must.Get(os.ReadFile(filepath.Join("testdata", name)))(t)
	must.Do(t, json.Unmarshal(data, into))
}

func childFee(gasLimit, gasUsed uint64, fee *big.Int) *big.Int {
	parent := &types.Header{Number: big.NewInt(7), GasLimit: gasLimit, GasUsed: gasUsed, BaseFee: fee}
	return CalcBaseFee(anzeonConfig(), parent)
}

// testdata/basefee.json and base-fee.json: base fees of child blocks (spec transactions 3.1).
func TestAnzeonBaseFeeVectors(t *testing.T) {
	type decimal = json.Number
	var file struct {
		GenesisBaseFee            string
		TwentyFullBlocks          []string
		ThenTwentyFiveEmptyBlocks []string
		Vectors                   []struct {
			Name                          string
			ParentGasLimit, ParentGasUsed uint64
			ParentBaseFee, NextBaseFee    string
		}
	}
	readVectors(t, "basefee.json", &file)
	if len(file.Vectors) == 0 || len(file.TwentyFullBlocks) != 21 || len(file.ThenTwentyFiveEmptyBlocks) != 26 {
		t.Fatal("the vectors are incomplete")
	}
	number := func(s string) *big.Int {
		n, ok := new(big.Int).SetString(s, 10)
		require.Truef(t, ok, "%q is not a number", s)
		return n
	}
	for _, v := range file.Vectors {
		have := childFee(v.ParentGasLimit, v.ParentGasUsed, number(v.ParentBaseFee))
		assert.Truef(t, have.Cmp(number(v.NextBaseFee)) == 0, "%s: have %v, want %s", v.Name, have, v.NextBaseFee)
	}
	if have := new(big.Int).SetUint64(MinBaseFee); have.Cmp(number(file.GenesisBaseFee)) != 0 {
		t.Errorf("genesis base fee: have %v, want %s", have, file.GenesisBaseFee)
	}
	const limit = 105_000_000
	fee := number(file.TwentyFullBlocks[0])
	for i, want := range file.TwentyFullBlocks[1:] {
		fee = childFee(limit, limit, fee)
		require.Truef(t, fee.Cmp(number(want)) == 0, "full block %d: have %v, want %s", i+1, fee, want)
	}
	for i, want := range file.ThenTwentyFiveEmptyBlocks[1:] {
		fee = childFee(limit, 0, fee)
		require.Truef(t, fee.Cmp(number(want)) == 0, "empty block %d: have %v, want %s", i+1, fee, want)
	}
	var second struct {
		Cases []struct {
			BaseFee, ParentBaseFee        decimal
			ParentGasLimit, ParentGasUsed uint64
		}
	}
	readVectors(t, "base-fee.json", &second)
	require.True(t, len(second.Cases) != 0, "the vectors are incomplete")
	for i, c := range second.Cases {
		have := childFee(c.ParentGasLimit, c.ParentGasUsed, number(c.ParentBaseFee.String()))
		assert.Truef(t, have.Cmp(number(c.BaseFee.String())) == 0, "case %d: have %v, want %s", i, have, c.BaseFee)
	}
}

// A header must carry exactly the computed fee (spec transactions 3.1), and other chains keep the rule of EIP-1559.
func TestAnzeonBaseFeeOfHeaders(t *testing.T) {
	least := new(big.Int).SetUint64(MinBaseFee)
	parent := &types.Header{Number: common.Big1, GasLimit: 5000, GasUsed: 5000, BaseFee: least}
	child := &types.Header{Number: common.Big2, GasLimit: 5000, BaseFee: big.NewInt(20_400_000_000_000)}
	assert.NoError(t, VerifyEIP1559Header(anzeonConfig(), parent, child), "the right fee is refused")
	child.BaseFee = new(big.Int).Add(child.BaseFee, common.Big1)
	assert.Error(t, VerifyEIP1559Header(anzeonConfig(), parent, child), "a fee one too high is accepted")
	if fee := CalcBaseFee(params.TestChainConfig, parent); fee.Cmp(big.NewInt(22_500_000_000_000)) != 0 {
		t.Errorf("fee without the anzeon section: have %v, want EIP-1559's", fee)
	}
	if fee := childFee(0, 0, nil); !fee.IsUint64() || fee.Uint64() != MinBaseFee {
		t.Errorf("child of a parent without fee: have %v, want the minimum", fee)
	}
}
