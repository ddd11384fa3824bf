// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package amounts

import (
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// Amounts are read exactly, with every unit for every reader; what has no unit only where the reader says which.
func TestParse(t *testing.T) {
	anywhere := map[string]string{ // "" for an error
		"1coins": "1000000000000000000", "1.5coins": "1500000000000000000", "0.000000000000000001coins": "1",
		"27600gwei": "27600000000000", "7wei": "7", "0wei": "0", "10 coins": "10000000000000000000", "0.5gwei": "500000000",
		"5 WKRC": "5000000000000000000", "5wkrc": "5000000000000000000", "1Coins": "1000000000000000000", " 7 wei ": "7",
		"3 won": "3000000000000000000",
		"":      "", "coins": "", "WKRC": "", "-1": "", "-1coins": "", "+1coins": "", "1e18": "", "1e3gwei": "",
		"0x10wei": "",
		"1.coins": "", ".5coins": "", "1. WKRC": "", "1.0000000001gwei": "", "1.5wei": "", "1,5coins": "", "1.5.2coins": "",
		"1ether": "", "5 ETH": "", "1_000": "", "1_000gwei": "", "1 000": "", "0x": "", "0x1g": "", "0x-1": "",
		"0.0000000000000000001 WKRC": "", "0x1" + strings.Repeat("0", 64): "",
		strings.Repeat("9", 78) + "wei": "", strings.Repeat("1", 101): "",
	}
	for bare, more := range map[string]map[string]string{
		"":    {"1": "", "30000": "", "0x3e8": "", "1.5": ""},
		Wei:   {"0": "0", "1000": "1000", "0x3e8": "1000", "1.5": ""},
		Coins: {"1": "1000000000000000000", "1.5": "1500000000000000000", "0x3e8": ""},
	} {
		for _, rows := range []map[string]string{anywhere, more} {
			for text, want := range rows {
				t.Run(bare+"/"+text, func(t *testing.T) {
					n, err := Parse(text, bare)
					switch {
					case want == "" && err == nil:
						t.Errorf("read as %v", n)
					case want != "" && (err != nil || n.String() != want):
						t.Errorf("read as %v, error %v; want %s", n, err, want)
					}
				})
			}
		}
	}
	expect.Says(t, expect.Err(Parse("30000", "")), "27600gwei", "no unit")
	rapid.Check(t, func(r *rapid.T) {
		wei := new(big.Int).SetBytes(rapid.SliceOfN(rapid.Byte(), 0, 32).Draw(r, "wei"))
		back, err := Parse(wei.String()+"wei", "")
		must.That(r, err == nil && back.Cmp(wei) == 0, "%v is read as %v, %v", wei, back, err)
	})
}
