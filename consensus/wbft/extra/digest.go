// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package extra

import (
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
)

// The two kinds of seals, as they enter the digest (spec wbft 1.4).
const (
	Prepare byte = 0x00
	Commit  byte = 0x01
)

// SealDigest returns the message that a seal of the given kind over header in round signs: keccak(round hash || kind)
// (spec wbft 1.4, 2.4). Seals that header carries already do not matter.
func SealDigest(header *types.Header, round uint32, kind byte) [32]byte {
	hash := header.RoundHash(round)
	return crypto.Keccak256Hash(hash[:], []byte{kind})
}
