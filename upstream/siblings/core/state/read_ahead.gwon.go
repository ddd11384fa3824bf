// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package state

import (
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// readAhead brings the nodes of tries that a read needs. It is nil but in the process of a developer chain that
// continues a network. A program that does not call ReadAhead has no code that sets it.
var readAhead func(address common.Address, slot *common.Hash) error

// ReadAhead makes f run before each read of an account, or of a slot of its storage if that is not nil, from a trie. A
// database has nodes by their hashes alone, from which no other node can find a path. Nil ends it. The program calls it
// before it has a chain. It is a symbol of each program that calls it.
//
//go:noinline
func ReadAhead(f func(address common.Address, slot *common.Hash) error) { readAhead = f }

// accountAhead reads an account from a trie of accounts.
func accountAhead(tr Trie, address common.Address) (*types.StateAccount, error) {
	if readAhead != nil {
		if err := readAhead(address, nil); err != nil {
			return nil, err
		}
	}
	return tr.GetAccount(address)
}

// storageAhead reads a slot from the storage trie of an account.
func storageAhead(tr Trie, address common.Address, slot common.Hash) ([]byte, error) {
	if readAhead != nil {
		if err := readAhead(address, &slot); err != nil {
			return nil, err
		}
	}
	return tr.GetStorage(address, slot[:])
}
