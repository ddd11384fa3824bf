// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package types

import (
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/params"
)

// The log that ends the receipt of an authorized sender's transaction (spec transactions 2.3 step 9).
var (
	// AccountManagerAddress is the native account manager, the emitter of the log.
	AccountManagerAddress = common.HexToAddress("0xb00003")
	// AuthorizedTxExecutedTopic is its only topic, the Keccak-256 of AuthorizedTxExecuted().
	AuthorizedTxExecutedTopic = common.HexToHash("0x40e728a89c7f5b192cf1c1b747fb64d51d81c7a2b3ed4607b94d3a1e6a3e0373")
)

// ByAuthorizedSender reports whether the receipt says that the sender was an authorized account after the transaction.
func (r *Receipt) ByAuthorizedSender() bool {
	if len(r.Logs) == 0 {
		return false
	}
	last := r.Logs[len(r.Logs)-1]
	return last.Address == AccountManagerAddress && len(last.Topics) > 0 && last.Topics[0] == AuthorizedTxExecutedTopic
}

// ApplyGovernedTip sets the effective gas price of each receipt, in wei, to what an Anzeon chain charges: the fee cap,
// or the base fee and tip if they are less, where the tip is the sender's own for authorized senders and the header's
// for all others (spec transactions 3.5). It belongs behind upstream's derivation, which knows only the sender's own
// tip; that result stays on other chains, without a header of the London form, and when the header's extra data does
// not decode (spec chain 7.3). txs are the receipts' transactions, in the same order.
//
// One case comes out differently from what was charged: a transaction that changes whether its own sender is
// authorized.
func (rs Receipts) ApplyGovernedTip(config *params.ChainConfig, header *Header, txs []*Transaction) {
	if config.Anzeon == nil || header == nil || header.BaseFee == nil || len(txs) != len(rs) {
		return
	}
	governed, err := WBFTGasTip(header.Extra)
	if err != nil {
		return
	}
	for i, r := range rs {
		tip := governed
		if r.ByAuthorizedSender() {
			tip = txs[i].inner.gasTipCap()
		}
		price := new(big.Int).Add(header.BaseFee, tip)
		if feeCap := txs[i].inner.gasFeeCap(); price.Cmp(feeCap) > 0 {
			price.Set(feeCap)
		}
		r.EffectiveGasPrice = price
	}
}
