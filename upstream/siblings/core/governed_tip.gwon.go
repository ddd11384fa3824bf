// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"math/big"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"
)

// messageTip returns the tip cap of a transaction for its message. On an Anzeon chain a tip cap wider than 256 bits
// comes out as the widest one: the governed tip replaces it unless the sender is authorized, and no account could pay
// it then (spec chain 14 no. 3).
func messageTip(tx *types.Transaction, signer types.Signer) *big.Int {
	tip := tx.GasTipCap()
	if tip.BitLen() <= 256 {
		return tip
	}
	if id := signer.ChainID(); id == nil || id.Sign() <= 0 || !signer.Equal(types.NewAnzeonSigner(id)) {
		return tip
	}
	return new(uint256.Int).SetAllOne().ToBig()
}

// governTip replaces tip cap and price of a message by those that follow from the gas tip of the block, unless the
// sender is authorized at this moment (spec transactions 2.1). A block without one leaves the message its own tip, and
// a call that offers nothing runs at price zero. Doing it twice changes nothing.
func governTip(evm *vm.EVM, msg *Message) {
	tip, base, most := evm.Context.GasTip, evm.Context.BaseFee, msg.GasFeeCap
	if msg.PayerCap != nil {
		most = msg.PayerCap
	}
	if tip == nil || base == nil || msg.tx == nil && most.IsZero() || evm.Accounts().IsAuthorized(msg.From) {
		return
	}
	price, overflow := uint256.FromBig(base)
	if !overflow {
		_, overflow = price.AddOverflow(price, tip)
	}
	if overflow || price.Gt(most) {
		price = most
	}
	msg.GasPrice = price
	if msg.PayerCap == nil {
		msg.GasTipCap = tip
	}
}

// setChargedPrice writes the price per gas that an Anzeon chain has charged into a new receipt. Upstream leaves it out
// and derives it when receipts are read; only here is it exact for a transaction that changes whether its own sender is
// authorized.
func setChargedPrice(receipt *types.Receipt, evm *vm.EVM) {
	if evm.GetRules().IsAnzeon && evm.GasPrice != nil {
		receipt.EffectiveGasPrice = evm.GasPrice.ToBig()
	}
}
