// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package legacypool

import "github.com/ethereum/go-ethereum/params"

// anzeonMaxSize is the most bytes a transaction of an Anzeon chain may have: 256 KiB (spec transactions 1.2). Deployed code
// may be nearly as long (spec chain 2).
const anzeonMaxSize = 8 * txSlotSize

// maxTxSize returns the largest transaction that the pool takes, in bytes.
func maxTxSize(config *params.ChainConfig) uint64 {
	if config.IsAnzeon() {
		return anzeonMaxSize
	}
	return txMaxSize
}
