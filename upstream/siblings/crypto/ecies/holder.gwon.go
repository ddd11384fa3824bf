// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package ecies

import (
	"math/big"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/log"
)

// sharedX returns the x coordinate of the shared secret, nil for none. The holder of a key is asked in its place.
func (prv *PrivateKey) sharedX(pub *PublicKey) *big.Int {
	h := crypto.HolderOf(prv.D)
	if h == nil {
		x, _ := pub.Curve.ScalarMult(pub.X, pub.Y, prv.D.Bytes()) //nolint:staticcheck // crypto/ecdh lacks secp256k1
		return x
	}
	x, err := h.SharedX(pub.ExportECDSA())
	if err != nil {
		log.Debug("Handshake not possible", "err", err)
		return nil
	}
	return x
}
