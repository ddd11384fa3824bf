// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rules

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// Share is what one validator gets of the base fees of a block, in wei.
type Share struct {
	Address common.Address // the block-signing address
	Amount  *big.Int       // above 0, fits 256 bits
}

// DistributeBaseFee divides total wei, base fee times gas used, among the validators of the block's epoch by
// diligence (spec chain 8.1). Shares are in validator order without zeros; a validator may occur twice. The dust
// belongs to the header's coinbase: shares and dust add up to total. With a total of 0 there are no shares.
//
// DistributeBaseFee fails when an index or amount is out of range, which makes the block invalid.
func DistributeBaseFee(total *big.Int, epoch *types.EpochInfo) (shares []Share, dust *big.Int, err error) {
	switch {
	case total.Sign() < 0:
		return nil, nil, fmt.Errorf("base fees of %v wei", total)
	case total.Sign() == 0:
		return nil, new(big.Int), nil
	case epoch == nil:
		return nil, nil, errors.New("no epoch information to share the base fees by")
	}
	sum := new(big.Int)
	for _, v := range epoch.Validators {
		if uint64(v) >= uint64(len(epoch.Candidates)) {
			return nil, nil, fmt.Errorf("epoch information has %d candidates and a validator with index %d",
				len(epoch.Candidates), v)
		}
		sum.Add(sum, new(big.Int).SetUint64(epoch.Candidates[v].Diligence))
	}
	dust = new(big.Int).Set(total)
	if sum.Sign() != 0 {
		for _, v := range epoch.Validators {
			amount := new(big.Int).SetUint64(epoch.Candidates[v].Diligence)
			amount.Div(amount.Mul(amount, total), sum)
			if amount.Sign() == 0 {
				continue
			}
			if amount.BitLen() > 256 {
				return nil, nil, fmt.Errorf("the base fee share of %v exceeds 256 bits", epoch.Candidates[v].Address)
			}
			shares = append(shares, Share{Address: epoch.Candidates[v].Address, Amount: amount})
			dust.Sub(dust, amount)
		}
	}
	if dust.BitLen() > 256 {
		return nil, nil, errors.New("the remainder of the base fees exceeds 256 bits")
	}
	return shares, dust, nil
}
