// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eip1559

import (
	"math/big"

	"github.com/ethereum/go-ethereum/core/types"
)

// Base fee bounds of an Anzeon chain in wei (spec transactions 0). The genesis block carries the minimum.
const (
	MinBaseFee uint64 = 20_000_000_000_000
	MaxBaseFee uint64 = 20_000_000_000_000_000
)

// Figures of the base fee rule, in per cent (spec transactions 3.1).
const (
	raiseAbovePercent = 20 // of the parent's gas limit
	lowerBelowPercent = 6  // of the parent's gas limit
	stepPercent       = 2  // of the parent's base fee
)

// anzeonBaseFee returns the base fee in wei of the child of parent on an Anzeon chain (spec transactions 3.1, wbft
// 1.5). A parent without a base fee, which header verification refuses elsewhere, gets a child with the minimum.
func anzeonBaseFee(parent *types.Header) *big.Int {
	least := new(big.Int).SetUint64(MinBaseFee)
	if parent.BaseFee == nil {
		return least
	}
	step := new(big.Int).Mul(parent.BaseFee, big.NewInt(stepPercent))
	step.Div(step, big.NewInt(100))
	if step.Sign() == 0 {
		step.SetUint64(1)
	}
	// The products wrap at 64 bits for absurd gas limits; the rule is defined that way.
	switch {
	case parent.GasUsed > parent.GasLimit*raiseAbovePercent/100:
		most := new(big.Int).SetUint64(MaxBaseFee)
		if step.Add(parent.BaseFee, step).Cmp(most) > 0 {
			return most
		}
		return step
	case parent.GasUsed < parent.GasLimit*lowerBelowPercent/100:
		if step.Sub(parent.BaseFee, step).Cmp(least) < 0 {
			return least
		}
		return step
	default:
		return new(big.Int).Set(parent.BaseFee)
	}
}
