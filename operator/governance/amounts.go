// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package governance

import (
	"fmt"
	"math/big"
	"strings"
	"time"
)

// units lists the names of units with their decimals in wei.
var units = []struct {
	name     string
	decimals int
}{{"coins", 18}, {"gwei", 9}, {"wei", 0}}

// ParseAmount reads an amount with a unit, for example 1.5coins, 30000gwei or 1wei, and returns wei. A missing unit
// is an error, because the value would be ambiguous by a factor of 10^9.
func ParseAmount(text string) (*big.Int, error) {
	for _, u := range units {
		if small := strings.ToLower(text); small != text && strings.HasSuffix(small, u.name) {
			return nil, fmt.Errorf("%q has its unit in capital letters: write %s", text, small)
		}
		digits, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		whole, fraction, point := strings.Cut(strings.TrimSpace(digits), ".")
		all := whole + fraction
		if whole == "" || point && fraction == "" || len(fraction) > u.decimals || strings.Trim(all, "0123456789") != "" {
			return nil, fmt.Errorf("%q is no amount in %s (with at most %d decimals)", text, u.name, u.decimals)
		}
		n, _ := new(big.Int).SetString(all+strings.Repeat("0", u.decimals-len(fraction)), 10)
		if n.BitLen() > 256 {
			return nil, fmt.Errorf("%q is more than a contract can hold", text)
		}
		return n, nil
	}
	return nil, fmt.Errorf("%q has no unit: coins, gwei or wei, as in 100coins", text)
}

// formatUnit formats wei in a unit, without rounding.
func formatUnit(wei *big.Int, decimals int) string {
	if decimals == 0 {
		return wei.String()
	}
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
