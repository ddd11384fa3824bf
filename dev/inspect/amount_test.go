// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package inspect

import (
	"math/big"
	"testing"

	"gwon/internal/expect"
)

func TestCoins(t *testing.T) {
	for wei, want := range map[string]string{
		"0":                            "0 WKRC",
		"1":                            "less than 0.000001 WKRC",
		"-1":                           "more than -0.000001 WKRC",
		"999600000000000000":           "0.9996 WKRC",
		"1000000000000000000":          "1 WKRC",
		"-1500000000000000000000":      "-1,500 WKRC",
		"1804897123456789000":          "about 1.804897 WKRC",
		"1999999999999999999":          "about 2 WKRC",
		"1000000000000000000000000000": "1,000,000,000 WKRC",
	} {
		t.Run(wei, func(t *testing.T) {
			n, _ := new(big.Int).SetString(wei, 10)
			expect.Equal(t, Coins(n), want, "%s wei", wei)
		})
	}
}
