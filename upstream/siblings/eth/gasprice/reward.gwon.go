// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package gasprice

import (
	"math/big"

	"github.com/ethereum/go-ethereum/core/types"
)

// reward returns the tip per gas in wei that the i-th transaction of a block paid. On an Anzeon chain it follows from
// the header and the receipt and reads no state, so that it works for pruned blocks (spec transactions 3.4, 6 no. 2).
func (oracle *Oracle) reward(bf *blockFees, i int, tx *types.Transaction) *big.Int {
	baseFee, config := bf.block.BaseFee(), oracle.backend.ChainConfig()
	if !config.IsAnzeon() || baseFee == nil {
		tip, _ := tx.EffectiveGasTip(baseFee)
		return tip
	}
	receipt := *bf.receipts[i] // a copy: the original is shared, and in a pending block it has no price yet
	types.Receipts{&receipt}.ApplyGovernedTip(config, bf.header, types.Transactions{tx})
	if receipt.EffectiveGasPrice == nil { // the header's extra data is no WBFT one
		return new(big.Int)
	}
	return new(big.Int).Sub(receipt.EffectiveGasPrice, baseFee)
}

// emptyReward returns every percentile of a block without transactions: on an Anzeon chain the governed tip of that
// block, which ordinary accounts pay (spec rpc 7), elsewhere zero. Clients derive their offers from it.
func (oracle *Oracle) emptyReward(bf *blockFees) *big.Int {
	if !oracle.backend.ChainConfig().IsAnzeon() {
		return new(big.Int)
	}
	tip, err := types.WBFTGasTip(bf.header.Extra)
	if err != nil { // the header's extra data is no WBFT one
		return new(big.Int)
	}
	return tip
}
