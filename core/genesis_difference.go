// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"maps"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/crypto"
)

// GenesisDifference tells what makes two genesis blocks different, as far as it can be told by the hash of one of them.
type GenesisDifference int

const (
	OtherGenesis     GenesisDifference = iota // another network, or nothing that can be told
	CodeMissingHere                           // the block that is given lacks code of the system contracts, and that is all
	CodeMissingThere                          // the other one lacks it
)

// CompareGenesis compares a genesis block, as it is stored, with the hash of another one. A genesis block that is made without
// the code of its system contracts is a valid one of a private network, but not that of nodes which have the code (spec chain
// 9, step 5).
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
	if without, info, err := DescribeGenesis(&bare, nil); err == nil && len(info.Missing) > 0 && without.ToBlock().Hash() == other {
		return CodeMissingThere
	}
	return OtherGenesis
}
