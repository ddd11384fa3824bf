// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package governance

import (
	"fmt"
	"math/big"
	"strings"
	"time"
)

// formatUnit formats wei in a unit, without rounding.
func formatUnit(wei *big.Int, decimals int) string {
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil)
	whole, rest := new(big.Int).QuoRem(wei, unit, new(big.Int))
	if rest.Sign() == 0 {
		return whole.String()
	}
	return whole.String() + "." + strings.TrimRight(fmt.Sprintf("%0*s", decimals, rest), "0")
}

// formatCoins formats wei in coins, without rounding.
func formatCoins(wei *big.Int) string { return formatUnit(wei, 18) + " coins" }

// formatGwei formats a gas price in gwei, without rounding.
func formatGwei(wei *big.Int) string { return formatUnit(wei, 9) + " gwei" }

// formatTime formats a block time.
func formatTime(seconds uint64) string {
	if seconds > 1<<40 {
		return fmt.Sprintf("second %d", seconds) // beyond the range of dates
	}
	return time.Unix(int64(seconds), 0).UTC().Format("2006-01-02 15:04:05 UTC")
}
