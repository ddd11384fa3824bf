// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package miner

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
)

// ForgetPending has the next question for the pending block build it again: a developer chain has changed what it
// depends on.
func (miner *Miner) ForgetPending() { miner.pending.update(common.Hash{}, nil) }

// GasLimitAfter returns the gas limit of the block after one with a gas limit.
func (miner *Miner) GasLimitAfter(parent uint64) uint64 {
	miner.confMu.RLock()
	defer miner.confMu.RUnlock()
	return core.CalcGasLimit(parent, miner.config.GasCeil)
}
