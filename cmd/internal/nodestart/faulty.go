// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

//go:build faulty

package nodestart

import (
	"crypto/ecdsa"
	"os"

	"gwon/consensus/wbft"
	"gwon/tools/faulty"
)

func init() {
	misbehave = func(key *ecdsa.PrivateKey) func(wbft.Network) wbft.Network {
		return func(inner wbft.Network) wbft.Network { return faulty.NetworkOf(os.Getenv("FAULTY_MODE"), inner, key) }
	}
}
