// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package graphql

import (
	"context"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/internal/ethapi"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/params"
	"github.com/stretchr/testify/assert"
)

// priceBackend knows its configuration and has the receipts of one block.
type priceBackend struct {
	ethapi.Backend
	config   *params.ChainConfig
	receipts types.Receipts
}

func (b priceBackend) ChainConfig() *params.ChainConfig { return b.config }
func (b priceBackend) GetReceipts(context.Context, common.Hash) (types.Receipts, error) {
	return b.receipts, nil
}

// Caps and fee payer of type 0x16 are shown, and the price is that of the receipt (spec transactions 6 no. 16, 20).
func TestPrices(t *testing.T) {
	inner := types.NewTx(&types.DynamicFeeTx{
		ChainID: big.NewInt(8283), GasTipCap: big.NewInt(5), GasFeeCap: big.NewInt(100), To: new(common.Address),
	})
	delegated := must.Get(types.WrapFeeDelegated(inner, common.Address{1}))(t)
	header := &types.Header{Number: big.NewInt(1), BaseFee: big.NewInt(20)}
	anzeon := &params.ChainConfig{Anzeon: new(params.AnzeonConfig)}
	receipts := types.Receipts{{EffectiveGasPrice: big.NewInt(77)}}
	for _, tt := range []struct {
		name    string
		backend priceBackend
		pooled  bool
		want    int64
	}{
		{"mined", priceBackend{config: anzeon, receipts: receipts}, false, 77},
		{"no receipts", priceBackend{config: anzeon}, false, 25},
		{"plain chain", priceBackend{config: params.TestChainConfig, receipts: receipts}, false, 25},
		{"pooled", priceBackend{config: anzeon, receipts: receipts}, true, 100},
	} {
		for _, tx := range []*types.Transaction{inner, delegated} {
			r := &Resolver{backend: tt.backend}
			object := &Transaction{r: r, tx: tx, hash: tx.Hash()}
			if !tt.pooled {
				object.block = &Block{r: r, header: header, hash: header.Hash()}
			}
			ctx := context.Background()
			payer := object.FeePayer(ctx, BlockNumberArgs{})
			delegated := tx.Type() == types.FeeDelegateTxType
			assert.Truef(t, (payer != nil) == delegated && (!delegated || payer.address == (common.Address{1})),
				"%s: fee payer of type %d is %v", tt.name, tx.Type(), payer)
			price := object.GasPrice(ctx)
			have := price.ToInt()
			assert.Truef(t, have.Int64() == tt.want, "%s: gasPrice of type %d is %v, want %d", tt.name, tx.Type(), have, tt.want)
			effective, err := object.EffectiveGasPrice(ctx)
			if err != nil || (effective == nil) != tt.pooled || effective != nil && effective.ToInt().Int64() != tt.want {
				t.Errorf("%s: effectiveGasPrice of type %d is %v (error %v)", tt.name, tx.Type(), effective, err)
			}
			limit, tip := object.MaxFeePerGas(ctx), object.MaxPriorityFeePerGas(ctx)
			assert.Truef(t, limit != nil && tip != nil && limit.ToInt().Int64() == 100 && tip.ToInt().Int64() == 5,
				"%s: caps of type %d are %v and %v", tt.name, tx.Type(), limit, tip)
		}
	}
}
