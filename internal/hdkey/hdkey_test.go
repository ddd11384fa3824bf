// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package hdkey

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/crypto"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// TestDerive checks the vector of BIP-32, and the path by which wallets number keys.
func TestDerive(t *testing.T) {
	// BIP-32, test vector 1, chain m/0'/1/2'.
	seed := must.Get(hex.DecodeString("000102030405060708090a0b0c0d0e0f"))(t)
	key := must.Get(Derive(seed, []uint32{hardened, 1, hardened + 2}))(t)
	want := "cbce0d719ecf7431d88e6a89fa1483e02e35092af60c042b1df2ff59fa424dca"
	expect.Equal(t, hex.EncodeToString(crypto.FromECDSA(key)), want, "key")
	expect.Equal(t, Path(1, 0, 2).String(), "m/44'/60'/1'/0/2", "path")
}

// TestPhrase: a new phrase has a seed, and a mistyped one is refused without being repeated.
func TestPhrase(t *testing.T) {
	phrase := must.Get(NewPhrase())(t)
	if _, err := Seed(" " + phrase + "\n"); err != nil || len(strings.Fields(phrase)) != 24 {
		t.Errorf("%d words, error %v", len(strings.Fields(phrase)), err)
	}
	wrong := strings.Fields(phrase)[0] + " secretword"
	_, err := Seed(wrong)
	expect.That(t, err != nil && !strings.Contains(err.Error(), "secretword"), "error %v", err)
}
