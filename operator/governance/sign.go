// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package governance

import (
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// Signer signs as the sender.
type Signer interface {
	Address() common.Address
	SignTx(tx *types.Transaction, chainID *big.Int) (*types.Transaction, error)
}

// Sign signs a plan's transaction, and checks that the signed transaction equals the one shown to the person.
func (p *Plan) Sign(s Signer) (*types.Transaction, error) {
	signed, err := s.SignTx(p.Tx, p.Tx.ChainId())
	if err != nil {
		return nil, fmt.Errorf("sign as %s: %w", p.From.Hex(), err)
	}
	rules := types.LatestSignerForChainID(p.Tx.ChainId())
	if signed == nil || signed.Type() != p.Tx.Type() || rules.Hash(signed) != rules.Hash(p.Tx) {
		return nil, fmt.Errorf("the signer returned another transaction than it was given: nothing is sent; sign again and " +
			"change nothing there")
	}
	if sender, err := types.Sender(rules, signed); err != nil || sender != p.From {
		return nil, fmt.Errorf("the signer signed as %s, not as %s: nothing is sent", sender.Hex(), p.From.Hex())
	}
	return signed, nil
}

// Raise returns the plan with a price per gas that is higher by percent, to replace a transaction that no block takes.
func (p *Plan) Raise(percent int64) *Plan {
	raised := *p
	higher := func(x *big.Int) *big.Int {
		more := new(big.Int).Mul(x, big.NewInt(100+percent))
		return more.Add(more, big.NewInt(99)).Div(more, big.NewInt(100))
	}
	raised.build(p.Tx.ChainId(), p.Tx.Nonce(), p.Tx.Gas(), higher(p.Tx.GasTipCap()), higher(p.Tx.GasFeeCap()), *p.Tx.To())
	return &raised
}
