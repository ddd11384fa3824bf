// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"maps"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/crypto"
)

// GenesisDifference is the reason why two genesis blocks differ, as far as the hash of one of them shows it.
type GenesisDifference int

const (
	// OtherGenesis means another network or an unknown difference.
	OtherGenesis GenesisDifference = iota
	// CodeMissingHere means that the given block differs only by missing code of the system contracts.
	CodeMissingHere
	// CodeMissingThere means that the other block lacks that code.
	CodeMissingThere
)

// CompareGenesis compares a stored genesis block with the hash of another one. A genesis block without the code of
// its system contracts is valid in a private network. Nodes that have the code build another one (spec chain 9, step
// 5).
func CompareGenesis(g *gethcore.Genesis, other common.Hash) GenesisDifference {
	if _, info, err := DescribeGenesis(g, nil); err == nil && len(info.Missing) > 0 && info.Hash == other {
		return CodeMissingHere
	}
	known := make(map[common.Hash]bool)
	for _, c := range KnownCode() {
		known[c.Hash] = true
	}
	bare := *g
	bare.Alloc = maps.Clone(g.Alloc)
	for address, account := range bare.Alloc {
		if known[crypto.Keccak256Hash(account.Code)] {
			account.Code = nil
			bare.Alloc[address] = account
		}
	}
	if without, info, err := DescribeGenesis(&bare, nil); err == nil && len(info.Missing) > 0 &&
		without.ToBlock().Hash() == other {
		return CodeMissingThere
	}
	return OtherGenesis
}
