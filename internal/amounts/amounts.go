// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package amounts reads amounts of coins, as all programs take them from a person.
package amounts

import (
	"fmt"
	"math/big"
	"strings"
)

// Units of an amount.
const (
	Coins = "coins"
	Wei   = "wei"
)

// units are the names of units, in small letters, with their decimals in wei.
var units = []struct {
	name     string
	decimals int
}{{Coins, 18}, {"wkrc", 18}, {"won", 18}, {"gwei", 9}, {Wei, 0}}

// maxLength bounds the text of an amount: 78 digits make 256 bits.
const maxLength = 100

// Parse reads an amount with a unit, such as 1.5coins, 5 WKRC, 27600gwei or 1wei, and returns wei. A number without a
// unit has the unit bare, and may be hexadecimal where that is Wei. It is an error if bare is empty, because the value
// would be ambiguous by a factor of 10^9.
func Parse(text, bare string) (*big.Int, error) {
	number := strings.ToLower(strings.TrimSpace(text))
	if len(number) > maxLength {
		return nil, fmt.Errorf("amount of %d characters: give at most %d", len(number), maxLength)
	}
	if digits, ok := strings.CutPrefix(number, "0x"); ok && bare == Wei {
		n, ok := new(big.Int).SetString(digits, 16)
		if !ok || strings.Trim(digits, "0123456789abcdef") != "" {
			return nil, bad(text)
		}
		return checked(text, n)
	}
	unit, decimals := "", 0
	for _, u := range units {
		if digits, ok := strings.CutSuffix(number, u.name); ok {
			number, unit, decimals = strings.TrimSpace(digits), u.name, u.decimals
			break
		} else if u.name == bare {
			unit, decimals = bare, u.decimals
		}
	}
	whole, fraction, point := strings.Cut(number, ".")
	switch {
	case whole == "" || point && fraction == "" || strings.Trim(whole+fraction, "0123456789") != "":
		return nil, bad(text)
	case unit == "":
		return nil, fmt.Errorf("%q has no unit: coins, gwei or wei, as in 100coins or, for a gas price, 27600gwei", text)
	case len(fraction) > decimals:
		return nil, fmt.Errorf("amount %q has %d decimals: give at most %d in %s", text, len(fraction), decimals, unit)
	}
	n, _ := new(big.Int).SetString(whole+fraction+strings.Repeat("0", decimals-len(fraction)), 10)
	return checked(text, n)
}

func bad(text string) error {
	return fmt.Errorf("%q is not an amount: give a number and a unit, as in 100coins, \"5 WKRC\" or 27600gwei", text)
}

func checked(text string, n *big.Int) (*big.Int, error) {
	if n.BitLen() > 256 {
		return nil, fmt.Errorf("amount %q has more than 256 bits: give less", text)
	}
	return n, nil
}
