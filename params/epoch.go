// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package params

import gethparams "github.com/ethereum/go-ethereum/params"

// NextEpochBlock returns the epoch block that follows the epoch block at number. It is one epoch length later, or
// earlier when a transition starts a new epoch (spec wbft 3.4).
func NextEpochBlock(config *gethparams.ChainConfig, number uint64) uint64 {
	next := config.LastEpochBlock(number + config.WBFTAt(number).EpochLength)
	for {
		before := config.LastEpochBlock(next - 1)
		if before <= number {
			return next
		}
		next = before
	}
}
