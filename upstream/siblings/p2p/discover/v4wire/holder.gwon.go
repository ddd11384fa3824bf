// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package v4wire

import (
	"crypto/ecdsa"

	"github.com/ethereum/go-ethereum/crypto"
)

// sign returns the signature over a packet, of the key or of its holder.
func sign(packet []byte, key *ecdsa.PrivateKey) ([]byte, error) {
	if h := crypto.HolderOf(key.D); h != nil {
		return h.SignPacket(packet)
	}
	return crypto.Sign(crypto.Keccak256(packet), key)
}
