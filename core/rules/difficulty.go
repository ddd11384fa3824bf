// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rules

import "math/big"

// TotalDifficulty returns the total difficulty of a block: that of genesis plus one for each block after it (spec
// network 1, rpc 7).
func TotalDifficulty(genesis *big.Int, number uint64) *big.Int {
	return new(big.Int).Add(genesis, new(big.Int).SetUint64(number))
}
