// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package crypto

import (
	"crypto/ecdsa"
	"math/big"
	"sync/atomic"
)

// Holder has the secret of a node key in another process. It is told what it signs, and never a hash.
type Holder interface {
	// SharedX returns the x coordinate of the secret that the key shares with a remote one.
	SharedX(remote *ecdsa.PublicKey) (*big.Int, error)
	// SignRecord signs the content of a node record, SignPacket a packet of discovery v4. The signature has 65 bytes.
	SignRecord(content []byte) ([]byte, error)
	SignPacket(packet []byte) ([]byte, error)
}

var holder atomic.Pointer[Holder]

// SetHolder makes h answer for private keys without a secret. It is called before such a key is used.
func SetHolder(h Holder) { holder.Store(&h) }

// HolderOf returns what answers for a key with this secret, or nil: a handle has zero as its secret, which is no key.
func HolderOf(secret *big.Int) Holder {
	h := holder.Load()
	if h == nil || secret == nil || secret.Sign() != 0 {
		return nil
	}
	return *h
}
