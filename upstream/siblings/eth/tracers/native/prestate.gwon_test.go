// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package native_test

import (
	"context"
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/eth/tracers"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/params"
	"github.com/holiman/uint256"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The pre-state of a transaction names the account that pays for it and those that the coin manager takes coins from or
// gives them to (spec transactions 2.5).
func TestPrestateOfAnzeonTransactions(t *testing.T) {
	var (
		key, _     = crypto.HexToECDSA(strings.Repeat("01", 32))
		authKey, _ = crypto.HexToECDSA(strings.Repeat("02", 32))
		from       = crypto.PubkeyToAddress(key.PublicKey)
		authority  = crypto.PubkeyToAddress(authKey.PublicKey)
		coinbase   = common.Address{0xc0}
		payer      = common.Address{0xfa}
		to         = common.Address{0xee}
		adapter    = common.Address{18: 0x10}
		holder     = common.Address{0xa0}
		taker      = common.Address{0xa1}
		delegate   = common.Address{0xd0}
		delegator  = common.Address{0xd1}
		caller     = common.Address{0xd2} // calls the delegator
		reader     = common.Address{0xd3} // reads the balance of an account that has flags and nothing else
		flagged    = common.Address{0xf1}
		config     = *params.TestChainConfig
		rich       = uint256.NewInt(1e18)
	)
	config.ChainID, config.ApplepieBlock = big.NewInt(8283), new(big.Int)
	config.Anzeon = &params.AnzeonConfig{SystemContracts: &params.SystemContracts{
		NativeCoinAdapter: &params.SystemContract{Address: adapter},
	}}
	signer := types.LatestSigner(&config)
	dynamic := func(to common.Address, data []byte) *types.Transaction {
		return types.MustSignNewTx(key, signer, &types.DynamicFeeTx{
			ChainID: config.ChainID, To: &to, Gas: 200_000, GasTipCap: common.Big1, GasFeeCap: big.NewInt(1000), Data: data,
		})
	}
	delegated := must.Get(types.WrapFeeDelegated(dynamic(to, nil), payer))(t)
	move := append([]byte{0xbe, 0xab, 0xac, 0xc8}, slices.Concat(
		common.LeftPadBytes(holder[:], 32), common.LeftPadBytes(taker[:], 32), common.LeftPadBytes([]byte{5}, 32))...)
	auth := must.Get(types.SignSetCode(authKey, types.SetCodeAuthorization{Address: delegate}))(t)
	setCode := types.MustSignNewTx(key, signer, &types.SetCodeTx{
		ChainID: uint256.MustFromBig(config.ChainID), To: authority, Gas: 200_000, GasTipCap: uint256.NewInt(1),
		GasFeeCap: uint256.NewInt(1000), AuthList: []types.SetCodeAuthorization{auth}, Value: uint256.NewInt(3),
	})
	for _, c := range []struct {
		name   string
		tx     *types.Transaction
		config string
		want   []common.Address
	}{
		{"fee payer", delegated, `{"includeEmpty":true}`, []common.Address{from, payer, to, coinbase}},
		{"coin movement", dynamic(adapter, move), `{"includeEmpty":true}`,
			[]common.Address{from, adapter, coinbase, holder, taker, vm.CoinManagerAddress}},
		{"accounts that stay absent are no change", dynamic(adapter, move), `{"diffMode":true}`,
			[]common.Address{from, coinbase, holder, taker}},
		{"authority without an account", setCode, `{"includeEmpty":true}`,
			[]common.Address{from, authority, coinbase, {0xbe}}},
		{"deleted authority is not in the post-state", setCode, `{"diffMode":true}`,
			[]common.Address{from, {0xbe}, coinbase}},
		{"older contract that destructs itself stays", dynamic(delegate, nil), `{"diffMode":true}`,
			[]common.Address{from, delegate, {0xbe}, coinbase}},
		{"code of the recipient", dynamic(delegator, nil), `{}`, []common.Address{from, delegator, delegate}},
		{"code of a callee", dynamic(caller, nil), `{}`, []common.Address{from, caller, delegator, delegate}},
		{"account with flags only", dynamic(reader, nil), `{}`, []common.Address{from, reader, flagged}},
	} {
		t.Run(c.name, func(t *testing.T) {
			statedb := must.Get(state.New(types.EmptyRootHash, state.NewDatabaseForTesting()))(t)
			for _, addr := range []common.Address{from, payer, holder, delegate} {
				statedb.SetBalance(addr, rich, tracing.BalanceChangeUnspecified)
			}
			// The adapter forwards its input to the coin manager; the delegate destructs itself for 0xbe00….
			statedb.SetCode(adapter, common.FromHex("365f5f375f5f365f5f62b000025af100"), tracing.CodeChangeUnspecified)
			destruct := common.FromHex("73be00000000000000000000000000000000000000ff")
			statedb.SetCode(delegate, destruct, tracing.CodeChangeUnspecified)
			statedb.SetCode(delegator, types.AddressToDelegation(delegate), tracing.CodeChangeUnspecified)
			call := common.FromHex("5f5f5f5f5f73d1000000000000000000000000000000000000005af100")
			statedb.SetCode(caller, call, tracing.CodeChangeUnspecified)
			balance := common.FromHex("73f1000000000000000000000000000000000000003100")
			statedb.SetCode(reader, balance, tracing.CodeChangeUnspecified)
			statedb.SetExtra(flagged, types.AccountBlacklisted)
			statedb.Finalise(params.Rules{IsEIP158: true})

			options := json.RawMessage(c.config)
			tracer := must.Get(tracers.DefaultDirectory.New("prestateTracer", new(tracers.Context), options, &config))(t)
			header := &types.Header{
				Number: common.Big1, Difficulty: common.Big1, GasLimit: 1_000_000, BaseFee: big.NewInt(10), Coinbase: coinbase,
				Extra: (&types.WBFTExtra{GasTip: common.Big2}).Encode(),
			}
			hooked := state.NewHookedState(statedb, tracer.Hooks)
			evm := vm.NewEVM(core.NewEVMBlockContext(header, nil, &coinbase), hooked, &config, vm.Config{Tracer: tracer.Hooks})
			defer evm.Release()
			msg := must.Get(core.TransactionToMessage(c.tx, signer, header.BaseFee))(t)
			receipt, _, err := core.ApplyTransactionWithEVM(context.Background(), msg, core.NewGasPool(header.GasLimit), statedb,
				header.Number, common.Hash{}, 0, c.tx, evm)
			require.Truef(t, err == nil && receipt.Status == types.ReceiptStatusSuccessful, "receipt %v, error %v", receipt, err)
			result := must.Get(tracer.GetResult())(t)
			accounts := make(map[common.Address]json.RawMessage)
			if strings.Contains(c.config, "diffMode") {
				var diff struct {
					Post map[common.Address]json.RawMessage
				}
				err, accounts = json.Unmarshal(result, &diff), diff.Post
			} else {
				err = json.Unmarshal(result, &accounts)
			}
			must.Do(t, err)
			for addr, account := range accounts {
				assert.Falsef(t, strings.Contains(string(account), common.Hash{}.Hex()),
					"account %v has a zero hash: %s", addr, account)
			}
			have := slices.Collect(maps.Keys(accounts))
			for _, list := range [][]common.Address{have, c.want} {
				slices.SortFunc(list, common.Address.Cmp)
			}
			assert.Truef(t, slices.Equal(have, c.want), "accounts %v, want %v", have, c.want)
		})
	}
}
