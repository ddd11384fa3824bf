// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package txsign

import (
	"fmt"
	"math/big"
	"strings"
)

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
