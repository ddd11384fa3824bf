// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package ethapi

import (
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/consensus/ethash"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/internal/ethapi/override"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/ethereum/go-ethereum/trie"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func anzeonTestConfig() *params.ChainConfig {
	zero := new(big.Int)
	return &params.ChainConfig{
		ChainID: big.NewInt(8283), HomesteadBlock: zero, EIP150Block: zero, EIP155Block: zero, EIP158Block: zero,
		ByzantiumBlock: zero, ConstantinopleBlock: zero, PetersburgBlock: zero, IstanbulBlock: zero, BerlinBlock: zero,
		LondonBlock: zero, ApplepieBlock: zero, BohoBlock: zero, Anzeon: new(params.AnzeonConfig),
	}
}

// priceBackend has what prices are made of.
type priceBackend struct {
	Backend
	config   *params.ChainConfig
	head     *types.Header
	tip      *big.Int
	receipts map[common.Hash]types.Receipts
	err      error
}

func (b *priceBackend) ChainConfig() *params.ChainConfig { return b.config }
func (b *priceBackend) CurrentHeader() *types.Header     { return b.head }
func (b *priceBackend) SuggestGasTipCap(context.Context) (*big.Int, error) {
	return new(big.Int).Set(b.tip), nil
}
func (b *priceBackend) GetReceipts(_ context.Context, hash common.Hash) (types.Receipts, error) {
	return b.receipts[hash], b.err
}

// TestTransactionObjects: the RPC objects of type 0x16, pooled and mined (spec transactions 1.3 (b), 3.5).
func TestTransactionObjects(t *testing.T) {
	data := must.Get(os.ReadFile(filepath.Join("testdata", "anzeon", "valid.json")))(t)
	var file struct {
		RPCContext struct{ BlockNumber, HeaderGasTip, MinedBaseFee, ParentBaseFee json.RawMessage }
		Vectors    []struct {
			Name                 string
			ChainID              *hexutil.Big
			Raw                  hexutil.Bytes
			RPCPending, RPCMined map[string]any
		}
	}
	must.Do(t, json.Unmarshal(data, &file))
	figure := func(raw json.RawMessage) *big.Int {
		n, ok := new(big.Int).SetString(strings.Trim(string(raw), `"`), 10)
		require.Truef(t, ok, "not a figure: %s", raw)
		return n
	}
	compare := func(t *testing.T, what string, object *RPCTransaction, want map[string]any, senderHash string) {
		t.Helper()
		enc := must.Get(json.Marshal(object))(t)
		var have map[string]any
		must.Do(t, json.Unmarshal(enc, &have))
		for _, key := range []string{"blockTimestamp"} { // upstream's own, unknown to the reference
			delete(have, key)
		}
		if have["senderTransactionHash"] != senderHash { // gwon's own
			t.Errorf("%s object: sender's hash %v, want %v", what, have["senderTransactionHash"], senderHash)
		}
		delete(have, "senderTransactionHash")
		if what == "mined" {
			have["blockHash"] = want["blockHash"]
		}
		assert.Truef(t, reflect.DeepEqual(have, want), "%s object:\nhave %v\nwant %v", what, have, want)
	}
	require.True(t, len(file.Vectors) != 0, "no vectors")
	for _, v := range file.Vectors {
		t.Run(v.Name, func(t *testing.T) {
			tx := new(types.Transaction)
			must.Do(t, tx.UnmarshalBinary(v.Raw))
			config := anzeonTestConfig()
			config.ChainID = v.ChainID.ToInt()
			head := &types.Header{Number: figure(file.RPCContext.BlockNumber), Difficulty: big.NewInt(1),
				BaseFee: figure(file.RPCContext.ParentBaseFee), GasLimit: 105_000_000,
				Extra: (&types.WBFTExtra{GasTip: figure(file.RPCContext.HeaderGasTip)}).Encode()}
			compare(t, "pending", NewRPCPendingTransaction(tx, head, config), v.RPCPending, tx.SenderTransactionHash().Hex())

			head.BaseFee = figure(file.RPCContext.MinedBaseFee)
			block := types.NewBlock(head, &types.Body{Transactions: types.Transactions{tx}}, nil, trie.NewStackTrie(nil))
			b := &priceBackend{config: config}
			mined := withPaidPrice(context.Background(), b, block.Header(), newRPCTransactionFromBlockIndex(block, 0, config))
			compare(t, "mined", mined, v.RPCMined, tx.SenderTransactionHash().Hex())
			whole := withPaidPrice(context.Background(), b, block.Header(), RPCMarshalBlock(block, true, true, config))
			compare(t, "mined", whole["transactions"].([]any)[0].(*RPCTransaction), v.RPCMined, tx.SenderTransactionHash().Hex())
		})
	}
}

// A mined transaction shows the price of its receipt (spec transactions 6 no. 16); types 0 and 1 show the signed price.
func TestPaidPrice(t *testing.T) {
	const base, governed, receipt = 20_000, 27_600, 77_777
	to := common.Address{1}
	withCap := func(limit int64) *types.Transaction {
		return types.NewTx(&types.DynamicFeeTx{
			ChainID: big.NewInt(8283), GasTipCap: big.NewInt(90_000), GasFeeCap: big.NewInt(limit), To: &to,
		})
	}
	of := func(tx *types.Transaction) types.Receipts {
		return types.Receipts{{TxHash: tx.Hash(), EffectiveGasPrice: big.NewInt(receipt)}}
	}
	dynamic, capped := withCap(200_000), withCap(30_000)
	legacy := types.NewTx(&types.LegacyTx{GasPrice: big.NewInt(300_000), To: &to})
	anzeon, plain := anzeonTestConfig(), anzeonTestConfig()
	plain.Anzeon = nil
	extra := (&types.WBFTExtra{GasTip: big.NewInt(governed)}).Encode()

	for _, tt := range []struct {
		name     string
		config   *params.ChainConfig
		tx       *types.Transaction
		receipts types.Receipts
		err      error
		want     int64
	}{
		{"receipt", anzeon, dynamic, of(dynamic), nil, receipt},
		{"receipt of another transaction", anzeon, dynamic, of(legacy), nil, base + governed},
		{"no receipts", anzeon, dynamic, nil, nil, base + governed},
		{"receipts unreadable", anzeon, dynamic, nil, errors.New("gone"), base + governed},
		{"no receipts, capped", anzeon, capped, nil, nil, 30_000},
		{"legacy", anzeon, legacy, of(legacy), nil, 300_000},
		{"plain chain", plain, dynamic, of(dynamic), nil, base + 90_000},
	} {
		header := &types.Header{Number: big.NewInt(5), Difficulty: big.NewInt(1), BaseFee: big.NewInt(base), Extra: extra}
		block := types.NewBlock(header, &types.Body{Transactions: types.Transactions{tt.tx}}, nil, trie.NewStackTrie(nil))
		receipts := map[common.Hash]types.Receipts{block.Hash(): tt.receipts}
		b := &priceBackend{config: tt.config, receipts: receipts, err: tt.err}
		object := withPaidPrice(context.Background(), b, block.Header(), newRPCTransactionFromBlockIndex(block, 0, tt.config))
		have := object.GasPrice.ToInt()
		assert.Truef(t, have.Cmp(big.NewInt(tt.want)) == 0, "%s: gasPrice %v, want %d", tt.name, have, tt.want)
		hashes := withPaidPrice(context.Background(), b, block.Header(), RPCMarshalBlock(block, true, false, tt.config))
		if have := hashes["transactions"].([]any)[0]; have != tt.tx.Hash() {
			t.Errorf("%s: block of hashes has %v", tt.name, have)
		}
		beyond := withPaidPrice(context.Background(), b, block.Header(), newRPCTransactionFromBlockIndex(block, 1, tt.config))
		assert.Truef(t, beyond == nil, "%s: a transaction beyond the last", tt.name)
	}
}

// blockBackend has one block besides.
type blockBackend struct {
	*priceBackend
	block *types.Block
}

func (b blockBackend) BlockByNumber(context.Context, rpc.BlockNumber) (*types.Block, error) {
	return b.block, nil
}
func (b blockBackend) BlockByHash(context.Context, common.Hash) (*types.Block, error) {
	return b.block, nil
}
func (b blockBackend) HeaderByHash(context.Context, common.Hash) (*types.Header, error) {
	return b.block.Header(), nil
}
func (b blockBackend) GetCanonicalTransaction(common.Hash) (bool, *types.Transaction, common.Hash, uint64, uint64) {
	return true, b.block.Transactions()[0], b.block.Hash(), b.block.NumberU64(), 0
}

// Every method that returns a mined transaction shows the price of its receipt, and where the transaction is (spec
// transactions 6 no. 16).
func TestMethodsShowPaidPrice(t *testing.T) {
	const receipt = 77_777
	tx := types.NewTx(&types.DynamicFeeTx{
		ChainID: big.NewInt(8283), GasTipCap: big.NewInt(1), GasFeeCap: big.NewInt(200_000), To: new(common.Address),
	})
	header := &types.Header{Number: big.NewInt(5), Difficulty: big.NewInt(1), BaseFee: big.NewInt(20_000), Time: 6}
	block := types.NewBlock(header, &types.Body{Transactions: types.Transactions{tx}}, nil, trie.NewStackTrie(nil))
	b := blockBackend{&priceBackend{config: anzeonTestConfig(), receipts: map[common.Hash]types.Receipts{
		block.Hash(): {{TxHash: tx.Hash(), EffectiveGasPrice: big.NewInt(receipt)}},
	}}, block}
	blocks, txs, ctx := NewBlockChainAPI(b), NewTransactionAPI(b, nil), context.Background()
	whole := func(fields map[string]any, err error) (*RPCTransaction, error) {
		list, _ := fields["transactions"].([]any)
		if err != nil || len(list) != 1 {
			return nil, err
		}
		object, _ := list[0].(*RPCTransaction)
		return object, nil
	}
	for name, call := range map[string]func() (*RPCTransaction, error){
		"GetBlockByNumber": func() (*RPCTransaction, error) { return whole(blocks.GetBlockByNumber(ctx, 5, true)) },
		"GetBlockByHash": func() (*RPCTransaction, error) {
			return whole(blocks.GetBlockByHash(ctx, block.Hash(), true))
		},
		"GetTransactionByHash": func() (*RPCTransaction, error) { return txs.GetTransactionByHash(ctx, tx.Hash()) },
		"GetTransactionByBlockNumberAndIndex": func() (*RPCTransaction, error) {
			return txs.GetTransactionByBlockNumberAndIndex(ctx, 5, 0)
		},
		"GetTransactionByBlockHashAndIndex": func() (*RPCTransaction, error) {
			return txs.GetTransactionByBlockHashAndIndex(ctx, block.Hash(), 0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			have, err := call()
			require.Truef(t, err == nil && have != nil, "object %v, error %v", have, err)
			if have.GasPrice.ToInt().Int64() != receipt || have.Hash != tx.Hash() || *have.BlockHash != block.Hash() ||
				have.BlockNumber.ToInt().Int64() != 5 || *have.BlockTimestamp != 6 || *have.TransactionIndex != 0 {
				t.Errorf("object %+v", have)
			}
		})
	}
}

// TestGasPriceSuggestion: the tip and the base fee of the next block (spec rpc 7, transactions 6 no. 18).
func TestGasPriceSuggestion(t *testing.T) {
	full := &types.Header{Number: big.NewInt(5), Difficulty: big.NewInt(1), BaseFee: big.NewInt(20_000_000_000_000),
		GasLimit: 100, GasUsed: 100}
	for _, tt := range []struct {
		name   string
		config *params.ChainConfig
		want   int64
	}{
		{"anzeon", anzeonTestConfig(), 20_400_000_000_000 + 27_600_000_000_000},
		{"plain", params.TestChainConfig, 20_000_000_000_000 + 27_600_000_000_000},
	} {
		b := &priceBackend{config: tt.config, head: full, tip: big.NewInt(27_600_000_000_000)}
		have, err := NewEthereumAPI(b).GasPrice(context.Background())
		assert.Truef(t, err == nil && have.ToInt().Cmp(big.NewInt(tt.want)) == 0,
			"%s: gas price %v (error %v), want %d", tt.name, have, err, tt.want)
	}
}

// TestReceiptFeePayer: the additive key of spec transactions 6 no. 20.
func TestReceiptFeePayer(t *testing.T) {
	payer := common.Address{9}
	inner := types.NewTx(&types.DynamicFeeTx{ChainID: big.NewInt(8283), To: &common.Address{1}})
	delegated := must.Get(types.WrapFeeDelegated(inner, payer))(t)
	signer := types.LatestSigner(anzeonTestConfig())
	fields := MarshalReceipt(&types.Receipt{}, common.Hash{}, 1, signer, delegated, 0)
	assert.Truef(t, fields["senderTransactionHash"] == inner.Hash(),
		"receipt says the sender's hash is %v, want %v", fields["senderTransactionHash"], inner.Hash())
	assert.Truef(t, fields["feePayer"] == payer && fields["type"] == hexutil.Uint(0x16),
		"receipt says %v pays, type %v", fields["feePayer"], fields["type"])
	_, ok := MarshalReceipt(&types.Receipt{}, common.Hash{}, 1, signer, inner, 0)["feePayer"]
	assert.True(t, !ok, "the receipt of an ordinary transaction has a fee payer")
}

// stateBackend has one state.
type stateBackend struct {
	Backend
	statedb *state.StateDB
}

func (b stateBackend) StateAndHeaderByNumberOrHash(
	context.Context, rpc.BlockNumberOrHash,
) (*state.StateDB, *types.Header, error) {
	return b.statedb, &types.Header{Root: types.EmptyRootHash}, nil
}

// TestAccountExtra: the key "extra" of overrides and proofs (spec rpc 5, 7).
func TestAccountExtra(t *testing.T) {
	statedb := must.Get(state.New(types.EmptyRootHash, state.NewDatabaseForTesting()))(t)
	addr := common.Address{1}
	extra := accountExtra(statedb, addr)
	assert.Truef(t, extra == nil, "an account without flags has extra %v", *extra)
	var overrides override.StateOverride
	input := []byte(`{"0x0100000000000000000000000000000000000000": {"extra": "0x8000000000000000"}}`)
	must.Do(t, json.Unmarshal(input, &overrides))
	must.Do(t, overrides.Apply(statedb, nil))
	assert.True(t, statedb.IsBlacklisted(addr), "the override had no effect")
	extra = accountExtra(statedb, addr)
	assert.Truef(t, extra != nil && uint64(*extra) == 1<<63, "extra %v", extra)
	api := NewBlockChainAPI(stateBackend{statedb: statedb})
	for addr, want := range map[common.Address]bool{addr: true, {2}: false} {
		proof := must.Get(api.GetProof(context.Background(), addr, nil, nil))(t)
		enc, err := json.Marshal(proof)
		if err != nil || strings.Contains(string(enc), `"extra":"0x8000000000000000"`) != want ||
			strings.Contains(string(enc), `"extra"`) != want {
			t.Errorf("proof %s (error %v)", enc, err)
		}
	}
}

// The fee payer's funds limit the estimate, the sender needs the value alone (spec transactions 6 no. 21).
func TestEstimateWithFeePayer(t *testing.T) {
	contract := &params.SystemContract{Version: "v1"}
	config := anzeonTestConfig()
	config.Anzeon = &params.AnzeonConfig{
		WBFT: &params.WBFTConfig{
			RequestTimeoutSeconds: 2, BlockPeriodSeconds: 1, EpochLength: 10, ProposerPolicy: new(uint64),
		},
		Init: &params.WBFTInit{Validators: make([]common.Address, 1), BLSPublicKeys: []hexutil.Bytes{make([]byte, 48)}},
		SystemContracts: &params.SystemContracts{GovValidator: contract, NativeCoinAdapter: contract, GovMinter: contract,
			GovMasterMinter: contract, GovCouncil: contract},
	}
	const limit = 47_600_000_000_000
	sender, payer, poor := common.Address{1}, common.Address{2}, common.Address{3}
	banned, to := common.Address{4}, common.Address{5}
	plain := anzeonTestConfig()
	plain.Anzeon, plain.ApplepieBlock, plain.BohoBlock = nil, nil, nil
	alloc := func() types.GenesisAlloc {
		return types.GenesisAlloc{
			sender: {Balance: big.NewInt(5)},
			payer:  {Balance: big.NewInt(21000 * limit)},
			poor:   {Balance: big.NewInt(21000*limit - 1)},
			banned: {Balance: big.NewInt(21000 * limit)},
		}
	}
	backend := func(config *params.ChainConfig) Backend {
		genesis := &core.Genesis{Config: config, Difficulty: big.NewInt(1), GasLimit: 105_000_000, Alloc: alloc(),
			BaseFee: big.NewInt(20_000_000_000_000)}
		return newTestBackend(t, 0, genesis, ethash.NewFaker(), nil)
	}
	anzeonBackend, plainBackend := backend(config), backend(plain)

	fees := func(limit int64) *hexutil.Big { return (*hexutil.Big)(big.NewInt(limit)) }
	for _, tt := range []struct {
		name    string
		backend Backend
		args    TransactionArgs
		want    string // of the error
	}{
		{"funded payer", anzeonBackend, TransactionArgs{FeePayer: &payer, MaxFeePerGas: fees(limit)}, ""},
		{"funded payer, gas price", anzeonBackend, TransactionArgs{FeePayer: &payer, GasPrice: fees(limit)}, ""},
		{"no fees, no payer", anzeonBackend, TransactionArgs{}, ""},
		{"tip without cap", anzeonBackend, TransactionArgs{MaxPriorityFeePerGas: fees(limit)}, ""},
		{"tip and cap 0", anzeonBackend, TransactionArgs{MaxPriorityFeePerGas: fees(limit), MaxFeePerGas: fees(0)}, ""},
		{"tip without cap on a plain chain", plainBackend, TransactionArgs{MaxPriorityFeePerGas: fees(limit)},
			"max priority fee per gas higher than max fee per gas"},
		{"one wei short", anzeonBackend, TransactionArgs{FeePayer: &poor, MaxFeePerGas: fees(limit)},
			"feePayer 0x0300000000000000000000000000000000000000 has 999599999999999999 wei, which pays for 20999 gas"},
		{"no payer", anzeonBackend, TransactionArgs{MaxFeePerGas: fees(limit)}, "gas required exceeds allowance (0)"},
		{"sender as payer", anzeonBackend, TransactionArgs{FeePayer: &sender, MaxFeePerGas: fees(limit)},
			"gas required exceeds allowance (0)"},
		{"blacklisted payer", anzeonBackend, TransactionArgs{FeePayer: &banned, MaxFeePerGas: fees(limit)},
			"blacklisted account"},
		{"fee cap below the base fee", anzeonBackend, TransactionArgs{FeePayer: &payer, MaxFeePerGas: fees(1)},
			"max fee per gas less than block base fee"},
		{"value above the sender's funds", anzeonBackend,
			TransactionArgs{FeePayer: &payer, MaxFeePerGas: fees(limit), Value: fees(6)}, "insufficient funds"},
		{"plain chain ignores the key", plainBackend, TransactionArgs{FeePayer: &payer, MaxFeePerGas: fees(limit)},
			"gas required exceeds allowance (0)"},
	} {
		tt.args.From, tt.args.To = &sender, &to
		if tt.args.Value == nil {
			tt.args.Value = fees(1)
		}
		flags := hexutil.Uint64(1 << 63)
		overrides := &override.StateOverride{banned: override.OverrideAccount{Extra: &flags}}
		gas, err := NewBlockChainAPI(tt.backend).EstimateGas(context.Background(), tt.args, nil, overrides, nil)
		if tt.args.MaxPriorityFeePerGas != nil {
			_, called := NewBlockChainAPI(tt.backend).Call(context.Background(), tt.args, nil, overrides, nil)
			lone := tt.args.MaxFeePerGas == nil || tt.args.MaxFeePerGas.ToInt().Sign() == 0
			refused := called != nil && strings.Contains(called.Error(), tt.want)
			if tt.want == "" && called != nil || tt.want != "" && lone && !refused {
				t.Errorf("%s: eth_call: %v, want %q", tt.name, called, tt.want)
			}
		}
		switch {
		case tt.want == "" && (err != nil || gas != 21000):
			t.Errorf("%s: %d gas, error %v", tt.name, gas, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: error %v, want %q", tt.name, err, tt.want)
		}
	}
}
