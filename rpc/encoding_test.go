// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth"
	gethparams "github.com/ethereum/go-ethereum/params"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
	"github.com/ethereum/go-ethereum/trie"
	"github.com/holiman/uint256"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// Receipts and logs have the same bytes as with upstream's encoder. spec: rpc 2.6
func TestEncodingAsUpstream(t *testing.T) {
	signer := types.LatestSignerForChainID(big.NewInt(8283))
	sign := func(data types.TxData) *types.Transaction { return types.MustSignNewTx(testKey(1), signer, data) }
	to := common.Address{0xab}
	dynamic := sign(&types.DynamicFeeTx{ChainID: big.NewInt(8283), To: &to, Gas: 21000, GasFeeCap: big.NewInt(9),
		GasTipCap: big.NewInt(1)})
	delegated := must.Get(types.WrapFeeDelegated(dynamic, common.Address{7}))(t)
	logs := []*types.Log{
		{Address: common.Address{1}, Topics: []common.Hash{{1}, {2}, {3}}, Data: []byte{1, 0xff}, BlockNumber: 1 << 40,
			BlockTimestamp: 1 << 33, TxIndex: 4999, Index: 15},
		{Topics: []common.Hash{}, TxHash: common.Hash{9}, BlockHash: common.Hash{8}, Removed: true},
		{Data: []byte{}},
	}
	for _, tt := range []struct {
		name    string
		tx      *types.Transaction
		receipt *types.Receipt
	}{
		{"payment", dynamic, &types.Receipt{Status: 1, CumulativeGasUsed: 1 << 33, GasUsed: 21000, Logs: logs,
			Bloom: types.Bloom{1, 2, 255: 3}, EffectiveGasPrice: big.NewInt(1 << 50)}},
		{"fee delegated", delegated, &types.Receipt{Logs: logs[1:], EffectiveGasPrice: new(big.Int)}},
		{"creation", sign(&types.LegacyTx{Gas: 1}), &types.Receipt{Status: 1, ContractAddress: common.Address{5}}},
		{"state root", sign(&types.LegacyTx{To: &to}), &types.Receipt{PostState: make([]byte, 32)}},
		{"access list, failed", sign(&types.AccessListTx{ChainID: big.NewInt(8283), To: &to}), &types.Receipt{GasUsed: 1}},
		{"set code", sign(&types.SetCodeTx{ChainID: uint256.NewInt(8283), To: to,
			AuthList: []types.SetCodeAuthorization{{Nonce: 1}}}), &types.Receipt{Status: 1, Logs: logs[:1]}},
		{"creation, failed", sign(&types.DynamicFeeTx{ChainID: big.NewInt(8283), Data: []byte{1}}),
			&types.Receipt{EffectiveGasPrice: big.NewInt(1)}},
		{"unsigned", types.NewTx(&types.LegacyTx{To: &to}), new(types.Receipt)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list := &receiptList{common.Hash{3}, 17, signer, types.Transactions{tt.tx, tt.tx},
				types.Receipts{tt.receipt, tt.receipt}}
			got := must.Get(list.MarshalJSON())(t)
			var maps []map[string]any
			for i := range list.receipts {
				maps = append(maps, eth.MarshalReceipt(tt.receipt, list.hash, list.number, signer, tt.tx, i))
			}
			want, err := json.Marshal(maps)
			expect.That(t, err == nil && string(got) == string(want), "encoded %s\nwant    %s (%v)", got, want, err)
		})
	}
	for name, list := range map[string][]*types.Log{"logs": logs, "no logs": {}} {
		t.Run(name, func(t *testing.T) {
			got := must.Get(logList(list).MarshalJSON())(t)
			want, err := json.Marshal(list)
			expect.That(t, err == nil && string(got) == string(want), "encoded %s\nwant    %s (%v)", got, want, err)
		})
	}
}

// bareChain has a block of one transaction without its receipts.
type bareChain struct{ why error }

func (bareChain) ChainConfig() *gethparams.ChainConfig { return gethparams.TestChainConfig }

func (bareChain) BlockByNumberOrHash(context.Context, gethrpc.BlockNumberOrHash) (*types.Block, error) {
	body := types.Body{Transactions: types.Transactions{types.NewTx(new(types.LegacyTx))}}
	return types.NewBlock(&types.Header{Number: big.NewInt(7)}, &body, nil, trie.NewStackTrie(nil)), nil
}

func (bareChain) GetReceipts(context.Context, common.Hash) (types.Receipts, error) { return nil, nil }

func (c bareChain) StoredReceipts(*types.Header) (*gethcore.StoredReceipts, error) { return nil, c.why }

// Missing or damaged receipts of a block are an error, not an empty list. spec: rpc 2.6
func TestReceiptsThatCannotBeRead(t *testing.T) {
	for _, why := range []error{gethcore.ErrReceiptsMissing, nil} {
		chain := bareChain{why}
		_, err := (&blocks{receipts: chain, stored: chain}).GetBlockReceipts(t.Context(),
			gethrpc.BlockNumberOrHashWithNumber(7))
		if err == nil || why != nil && !errors.Is(err, why) {
			t.Errorf("error %v, want %v", err, why)
		}
	}
}
