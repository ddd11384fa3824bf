// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package chains has what tells the public networks apart, for programs that need no more of them (spec chain 11).
package chains

import "github.com/ethereum/go-ethereum/common"

// Chain is the identity of a public network.
type Chain struct {
	Name    string // on the command line
	ID      uint64
	Genesis common.Hash
}

// Chain IDs, which are also the network IDs (spec network 1).
const (
	MainnetID uint64 = 8282
	TestnetID uint64 = 8283
)

// Mainnet returns the WKRC mainnet.
func Mainnet() Chain {
	return Chain{"mainnet", MainnetID,
		common.HexToHash("0xf192f2ba82c9265777bad7d33b7fd561430ae5e1f60f2e99c893073c81dc5b7b")}
}

// Testnet returns the WKRC testnet.
func Testnet() Chain {
	return Chain{"testnet", TestnetID,
		common.HexToHash("0x2bdf79b3d3cc49f9e6638ff81f3bb85065c79945a8fe4556cd0ff47bbfc02490")}
}
