// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package dev

import (
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

// TestCreate2Proxy checks the code that Foundry expects at the address of the deployment proxy, by its published hash.
func TestCreate2Proxy(t *testing.T) {
	want := common.HexToHash("0x2fa86add0aed31f33a762c9d88e807c475bd51d0f52bd0955754b2608f7e4989")
	if got := crypto.Keccak256Hash(create2Proxy); len(create2Proxy) != 69 || got != want {
		t.Errorf("%d bytes with hash %v, want 69 with %v", len(create2Proxy), got, want)
	}
}
