// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package inspect

import (
	"math/big"
	"strings"
)

// Coin is the symbol of the network's coin.
const Coin = "WKRC"

// shownDecimals is the number of decimals that a person is shown of an amount.
const shownDecimals = 6

// Amount is a number of coins: exact in wei, and as text for a person.
type Amount struct {
	Wei  string `json:"wei"`
	Text string `json:"text"`
}

// NewAmount returns the amount of a number of wei. Nil stands for 0.
func NewAmount(wei *big.Int) Amount {
	if wei == nil {
		wei = new(big.Int)
	}
	return Amount{wei.String(), Coins(wei)}
}

// Coins returns a number of wei, of 18 decimals (spec system-contracts 2), as text, as "1,234.5 WKRC". An amount with more than six decimals is rounded to them
// and begins with "about". Amounts below one millionth are shown as such.
func Coins(wei *big.Int) string { return decimal(wei, 18) + " " + Coin }

// Gwei returns a number of wei as text, as "27,600 gwei".
func Gwei(wei *big.Int) string { return decimal(wei, 9) + " gwei" }

// decimal returns n divided by 10^decimals, with thousands separated and at most shownDecimals decimals.
func decimal(n *big.Int, decimals int) string {
	sign := ""
	if n.Sign() < 0 {
		sign = "-"
	}
	digits := new(big.Int).Abs(n).String()
	if len(digits) <= decimals {
		digits = strings.Repeat("0", decimals+1-len(digits)) + digits
	}
	whole, fraction := digits[:len(digits)-decimals], strings.TrimRight(digits[len(digits)-decimals:], "0")
	if len(fraction) <= shownDecimals {
		if fraction != "" {
			fraction = "." + fraction
		}
		return sign + thousands(whole) + fraction
	}
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals-shownDecimals)), nil)
	half := new(big.Int).Rsh(unit, 1)
	rounded := new(big.Int).Quo(half.Add(half, new(big.Int).Abs(n)), unit)
	switch {
	case rounded.Sign() == 0 && sign != "":
		return "more than -0.000001"
	case rounded.Sign() == 0:
		return "less than 0.000001"
	}
	return "about " + sign + decimal(rounded, shownDecimals)
}

// thousands separates groups of three digits.
func thousands(digits string) string {
	var text strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			text.WriteByte(',')
		}
		text.WriteRune(d)
	}
	return text.String()
}
