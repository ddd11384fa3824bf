// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wellknown

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

// TestMnemonic checks the accounts that developer tools print for their phrase, and the vector of BIP-32.
func TestMnemonic(t *testing.T) {
	list, err := Accounts("  test test test test test test test test test test test   junk ", 10)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range map[int]string{
		0: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
		1: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
		9: "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720",
	} {
		if list[i].Address != common.HexToAddress(want) {
			t.Errorf("account %d is %v, want %s", i, list[i].Address, want)
		}
	}
	// BIP-32, test vector 1, chain m/0'/1/2'.
	seed, err := hex.DecodeString("000102030405060708090a0b0c0d0e0f")
	if err != nil {
		t.Fatal(err)
	}
	key, err := derive(seed, []uint32{1 << 31, 1, 1<<31 | 2})
	if err != nil {
		t.Fatal(err)
	}
	want := "cbce0d719ecf7431d88e6a89fa1483e02e35092af60c042b1df2ff59fa424dca"
	if got := hex.EncodeToString(crypto.FromECDSA(key)); got != want {
		t.Errorf("key %s, want %s", got, want)
	}
}

// TestWrongMnemonic checks that a mistyped phrase is refused instead of leading to other accounts.
func TestWrongMnemonic(t *testing.T) {
	for name, phrase := range map[string]string{
		"empty":    "",
		"short":    "test junk",
		"word":     strings.Replace(Mnemonic, "junk", "jump1", 1),
		"checksum": strings.Replace(Mnemonic, "junk", "test", 1),
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Accounts(phrase, 1); err == nil || !strings.Contains(err.Error(), "no mnemonic") {
				t.Errorf("error %v", err)
			}
		})
	}
}
