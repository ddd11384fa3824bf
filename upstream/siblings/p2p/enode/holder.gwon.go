// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package enode

import (
	"crypto/ecdsa"
	"sync"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/p2p/enr"
	"github.com/ethereum/go-ethereum/rlp"
)

// held is the last record that a holder has signed.
var held struct {
	sync.Mutex
	record    *enr.Record // unsigned
	signature []byte
}

// signRecord returns the signature over a record with this hash. A node cannot go on without one. So it keeps its last
// record, which takes the place of r, while the holder of its key cannot be reached.
func signRecord(r *enr.Record, hash []byte, key *ecdsa.PrivateKey) ([]byte, error) {
	h := crypto.HolderOf(key.D)
	if h == nil {
		return crypto.Sign(hash, key)
	}
	content, err := rlp.EncodeToBytes(r.AppendElements(nil))
	if err != nil {
		return nil, err
	}
	signature, err := h.SignRecord(content)
	held.Lock()
	defer held.Unlock()
	switch {
	case err == nil:
		kept := *r
		held.record, held.signature = &kept, signature
	case held.record == nil:
		return nil, err
	default:
		log.Debug("Node record kept", "err", err)
		*r = *held.record
	}
	return held.signature, nil
}
