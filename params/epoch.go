// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package params

import gethparams "github.com/ethereum/go-ethereum/params"

// NextEpochBlock returns the first epoch block after the epoch block at number: one length later, or earlier where a transition begins
// an epoch of its own (spec wbft 3.4).
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
