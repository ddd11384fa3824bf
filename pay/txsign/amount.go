// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package txsign

import (
	"fmt"
	"math/big"
	"strings"
)

// units are the names of amounts and the decimals of each in wei. An amount without a unit is wei.
var units = []struct {
	name     string
	decimals int
}{{"wkrc", 18}, {"gwei", 9}, {"wei", 0}}

// maxAmountLength bounds the text of an amount: 78 digits make 256 bits.
const maxAmountLength = 100

// ParseAmount reads an amount and returns wei: "5 WKRC", "27600 gwei", "1000 wei", or an integer of wei, also in
// hexadecimal as "0x3e8".
func ParseAmount(text string) (*big.Int, error) {
	trimmed := strings.TrimSpace(text)
	if len(trimmed) > maxAmountLength {
		return nil, fmt.Errorf("amount of %d characters: give at most %d", len(trimmed), maxAmountLength)
	}
	if digits, ok := strings.CutPrefix(strings.ToLower(trimmed), "0x"); ok {
		if digits == "" || strings.Trim(digits, "0123456789abcdef") != "" {
			return nil, badAmount(text)
		}
		n, _ := new(big.Int).SetString(digits, 16)
		return checkAmount(text, n)
	}
	number, decimals := strings.ToLower(trimmed), 0
	for _, u := range units {
		if digits, ok := strings.CutSuffix(number, u.name); ok {
			number, decimals = strings.TrimSpace(digits), u.decimals
			break
		}
	}
	whole, fraction, point := strings.Cut(number, ".")
	if whole == "" || point && fraction == "" || strings.Trim(whole+fraction, "0123456789") != "" {
		return nil, badAmount(text)
	}
	if len(fraction) > decimals {
		return nil, fmt.Errorf("amount %q has %d decimals: give at most %d in this unit", text, len(fraction), decimals)
	}
	n, _ := new(big.Int).SetString(whole+fraction+strings.Repeat("0", decimals-len(fraction)), 10)
	return checkAmount(text, n)
}

func badAmount(text string) error {
	return fmt.Errorf("%q is not an amount: give wei, or a unit as in \"5 WKRC\" or \"27600 gwei\"", text)
}

func checkAmount(text string, n *big.Int) (*big.Int, error) {
	if n.BitLen() > 256 {
		return nil, fmt.Errorf("amount %q has more than 256 bits: give less", text)
	}
	return n, nil
}

// FormatCoins writes wei in coins, exactly, as "1.5 WKRC".
func FormatCoins(wei *big.Int) string {
	coin := new(big.Int).Exp(big.NewInt(10), big.NewInt(18), nil)
	whole, rest := new(big.Int).QuoRem(wei, coin, new(big.Int))
	text := whole.String()
	if rest.Sign() != 0 {
		text += "." + strings.TrimRight(fmt.Sprintf("%018s", rest.String()), "0")
	}
	return text + " WKRC"
}
