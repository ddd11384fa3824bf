// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wellknown

import (
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// TestMnemonic checks the accounts that developer tools print for their phrase.
func TestMnemonic(t *testing.T) {
	list := must.Get(Accounts("  test test test test test test test test test test test   junk ", 10))(t)
	for i, want := range map[int]string{
		0: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
		1: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
		9: "0xa0Ee7A142d267C1f36714E4a8F75612F20a79720",
	} {
		expect.That(t, list[i].Address == common.HexToAddress(want), "account %d is %v, want %s", i, list[i].Address, want)
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
		t.Run(name, func(t *testing.T) { expect.Says(t, expect.Err(Accounts(phrase, 1)), "no mnemonic", "Accounts") })
	}
}
