// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"encoding/binary"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

// storage is the initial storage of a contract. It holds no zero values, because a zero value has no entry in the
// state.
type storage map[common.Hash]common.Hash

func (s storage) set(slot, value common.Hash) {
	if value == (common.Hash{}) {
		delete(s, slot)
		return
	}
	s[slot] = value
}

func (s storage) setUint(slot common.Hash, v uint64) { s.set(slot, word(v)) }

func (s storage) setBig(slot common.Hash, v *big.Int) { s.set(slot, common.BigToHash(v)) }

func (s storage) setAddress(slot common.Hash, a common.Address) { s.set(slot, addressWord(a)) }

// setBytes writes a Solidity bytes or string value (spec system-contracts, slot arithmetic).
func (s storage) setBytes(slot common.Hash, b []byte) {
	if len(b) < common.HashLength {
		var v common.Hash
		copy(v[:], b)
		v[common.HashLength-1] = byte(2 * len(b))
		s.set(slot, v)
		return
	}
	s.setUint(slot, 2*uint64(len(b))+1)
	for i := uint64(0); len(b) > 0; i++ {
		var v common.Hash
		b = b[copy(v[:], b):]
		s.set(elementSlot(slot, i), v)
	}
}

// setAddresses writes a dynamic array of addresses.
func (s storage) setAddresses(slot common.Hash, list []common.Address) {
	s.setUint(slot, uint64(len(list)))
	for i, a := range list {
		s.setAddress(elementSlot(slot, uint64(i)), a)
	}
}

// word returns v as a storage slot number or value.
func word(v uint64) (h common.Hash) {
	binary.BigEndian.PutUint64(h[common.HashLength-8:], v)
	return h
}

// addressWord returns an address as a right-aligned word.
func addressWord(a common.Address) common.Hash { return common.BytesToHash(a[:]) }

// mapSlot returns the slot of a 32-byte key in the mapping at slot.
func mapSlot(key, slot common.Hash) common.Hash { return crypto.Keccak256Hash(key[:], slot[:]) }

// addressMapSlot returns the slot of an address in the mapping at slot.
func addressMapSlot(a common.Address, slot common.Hash) common.Hash {
	return mapSlot(addressWord(a), slot)
}

// bytesMapSlot returns the slot of a bytes or string key in the mapping at slot.
func bytesMapSlot(key []byte, slot common.Hash) common.Hash {
	return crypto.Keccak256Hash(key, slot[:])
}

// elementSlot returns the slot of element i of the dynamic array (or long bytes value) at slot.
func elementSlot(slot common.Hash, i uint64) common.Hash {
	at := new(big.Int).SetBytes(crypto.Keccak256(slot[:]))
	at.Add(at, new(big.Int).SetUint64(i))
	return common.BigToHash(at) // keeps the low 256 bits
}
