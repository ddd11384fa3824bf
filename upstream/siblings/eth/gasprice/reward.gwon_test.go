// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package gasprice

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/trie"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// configBackend knows its chain configuration and nothing else: a question for state, blocks or receipts panics.
type configBackend struct {
	OracleBackend
	config *params.ChainConfig
}

func (b configBackend) ChainConfig() *params.ChainConfig { return b.config }

// Rewards are percentiles over min(T, cap - B), with T by the header and the receipt's last log. No state is read, so
// that pruned blocks have rewards too (spec transactions 3.4, 6 no. 2).
func TestRewards(t *testing.T) {
	const (
		base     = 20_000
		governed = 27_600
	)
	tx := func(tip, limit int64) *types.Transaction {
		return types.NewTx(&types.DynamicFeeTx{GasTipCap: big.NewInt(tip), GasFeeCap: big.NewInt(limit), Gas: 21000})
	}
	marker := &types.Log{Address: vm.AccountManagerAddress, Topics: []common.Hash{types.AuthorizedTxExecutedTopic}}
	zero := new(big.Int)
	anzeon := &params.ChainConfig{ChainID: big.NewInt(8283), LondonBlock: zero, Anzeon: new(params.AnzeonConfig)}
	plain := &params.ChainConfig{ChainID: big.NewInt(8283), LondonBlock: zero}
	extra := (&types.WBFTExtra{GasTip: big.NewInt(governed)}).Encode()

	for _, tt := range []struct {
		name   string
		config *params.ChainConfig
		extra  []byte
		tx     *types.Transaction
		logs   []*types.Log
		want   int64
	}{
		{"normal sender, own tip higher", anzeon, extra, tx(90_000, 200_000), nil, governed},
		{"normal sender, own tip lower", anzeon, extra, tx(1, 200_000), nil, governed},
		{"normal sender, capped", anzeon, extra, tx(27_600, base+27_000), nil, 27_000},
		{"authorized sender", anzeon, extra, tx(90_000, 200_000), []*types.Log{marker}, 90_000},
		{"authorized sender, capped", anzeon, extra, tx(90_000, 100_000), []*types.Log{marker}, 80_000},
		{"marker not last", anzeon, extra, tx(90_000, 200_000), []*types.Log{marker, {}}, governed},
		{"extra data of another kind", anzeon, []byte{1}, tx(90_000, 200_000), nil, 0},
		{"plain chain", plain, nil, tx(3, 200_000), nil, 3},
	} {
		header := &types.Header{Number: big.NewInt(1), Difficulty: big.NewInt(1), BaseFee: big.NewInt(base), GasLimit: 1e8,
			GasUsed: 21000, Extra: tt.extra}
		receipts := types.Receipts{{GasUsed: 21000, Logs: tt.logs}}
		body := &types.Body{Transactions: types.Transactions{tt.tx}}
		bf := &blockFees{blockNumber: 1, header: header, receipts: receipts,
			block: types.NewBlock(header, body, receipts, trie.NewStackTrie(nil))}
		oracle := &Oracle{backend: configBackend{config: tt.config}}
		oracle.processBlock(bf, []float64{0, 100})
		for _, reward := range bf.results.reward {
			assert.Truef(t, reward.Cmp(big.NewInt(tt.want)) == 0, "%s: reward %v, want %d", tt.name, reward, tt.want)
		}
		assert.Truef(t, len(bf.results.reward) == 2 && receipts[0].EffectiveGasPrice == nil,
			"%s: %d rewards; the shared receipt now says %v", tt.name, len(bf.results.reward), receipts[0].EffectiveGasPrice)
	}
}

// Every percentile of a block without transactions is the governed tip of that block, because clients offer the tip
// that they read here and a lower one is refused (spec rpc 7).
func TestRewardsOfAnEmptyBlock(t *testing.T) {
	const governed = 27_600
	anzeon := &params.ChainConfig{ChainID: big.NewInt(8283), LondonBlock: new(big.Int), Anzeon: new(params.AnzeonConfig)}
	plain := &params.ChainConfig{ChainID: big.NewInt(8283), LondonBlock: new(big.Int)}
	extra := (&types.WBFTExtra{GasTip: big.NewInt(governed)}).Encode()
	for _, tt := range []struct {
		name   string
		config *params.ChainConfig
		extra  []byte
		want   int64
	}{
		{"anzeon", anzeon, extra, governed},
		{"extra data of another kind", anzeon, []byte{1}, 0},
		{"plain chain", plain, extra, 0},
	} {
		one := big.NewInt(1)
		header := &types.Header{Number: one, Difficulty: one, BaseFee: one, GasLimit: 1e8, Extra: tt.extra}
		bf := &blockFees{blockNumber: 1, header: header, block: types.NewBlockWithHeader(header)}
		(&Oracle{backend: configBackend{config: tt.config}}).processBlock(bf, []float64{0, 50, 100})
		require.Truef(t, len(bf.results.reward) == 3, "%s: %d rewards", tt.name, len(bf.results.reward))
		for _, reward := range bf.results.reward {
			assert.Truef(t, reward.Cmp(big.NewInt(tt.want)) == 0, "%s: reward %v, want %d", tt.name, reward, tt.want)
		}
	}
}
