// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"
	"github.com/holiman/uint256"
)

// GenesisRoot returns the state root of an allocation without a database (spec chain 9, step 7). An account in
// codeHashes counts as a contract with that code, whatever code and nonce its entry has. The root of a chain can
// therefore be computed without its code.
func GenesisRoot(alloc types.GenesisAlloc, codeHashes map[common.Address]common.Hash) (common.Hash, error) {
	leaves := make([]leaf, 0, len(alloc))
	for address, entry := range alloc {
		account := types.StateAccount{
			Nonce:    entry.Nonce,
			Balance:  new(uint256.Int),
			CodeHash: crypto.Keccak256(entry.Code),
			Extra:    entry.Extra,
		}
		if hash, ok := codeHashes[address]; ok {
			account.CodeHash, account.Nonce = hash[:], 0
		}
		if entry.Balance != nil {
			if overflow := account.Balance.SetFromBig(entry.Balance); overflow || entry.Balance.Sign() < 0 {
				return common.Hash{}, fmt.Errorf("balance %v of %v is not between 0 and 2^256 - 1", entry.Balance, address)
			}
		}
		var err error
		if account.Root, err = storageRoot(entry.Storage); err != nil {
			return common.Hash{}, fmt.Errorf("storage of %v: %w", address, err)
		}
		value, err := rlp.EncodeToBytes(&account)
		if err != nil {
			return common.Hash{}, fmt.Errorf("account %v: %w", address, err)
		}
		leaves = append(leaves, leaf{crypto.Keccak256(address[:]), value})
	}
	return trieRoot(leaves)
}

// storageRoot returns the root of the storage trie; zero values have no leaf.
func storageRoot(slots map[common.Hash]common.Hash) (common.Hash, error) {
	leaves := make([]leaf, 0, len(slots))
	for slot, value := range slots {
		if value == (common.Hash{}) {
			continue
		}
		encoded, err := rlp.EncodeToBytes(common.TrimLeftZeroes(value[:]))
		if err != nil {
			return common.Hash{}, err
		}
		leaves = append(leaves, leaf{crypto.Keccak256(slot[:]), encoded})
	}
	return trieRoot(leaves)
}

// leaf is an entry of a secure trie. The trie hashes the key.
type leaf struct{ key, value []byte }

func trieRoot(leaves []leaf) (common.Hash, error) {
	slices.SortFunc(leaves, func(a, b leaf) int { return bytes.Compare(a.key, b.key) })
	t := trie.NewStackTrie(nil)
	for _, l := range leaves {
		if err := t.Update(l.key, l.value); err != nil {
			return common.Hash{}, err
		}
	}
	return t.Hash(), nil
}
