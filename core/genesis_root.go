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
	return genesisState(alloc, codeHashes, nil)
}

// genesisState returns the state root of an allocation, and gives everything that the state consists of to a writer;
// nil for none.
func genesisState(
	alloc types.GenesisAlloc, codeHashes map[common.Address]common.Hash, w *stateWriter,
) (common.Hash, error) {
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
		hash := w.hashed(address[:])
		var err error
		if account.Root, err = storageRoot(hash, entry.Storage, w); err != nil {
			return common.Hash{}, fmt.Errorf("storage of %v: %w", address, err)
		}
		if err := w.account(hash, &account, entry.Code); err != nil {
			return common.Hash{}, fmt.Errorf("account %v: %w", address, err)
		}
		value, err := rlp.EncodeToBytes(&account)
		if err != nil {
			return common.Hash{}, fmt.Errorf("account %v: %w", address, err)
		}
		leaves = append(leaves, leaf{hash[:], value})
	}
	root, err := trieRoot(leaves, w.nodes(common.Hash{}))
	if err != nil {
		return common.Hash{}, err
	}
	return root, w.flush(0)
}

// storageRoot returns the root of the storage trie of the account with a hash; zero values have no leaf.
func storageRoot(account common.Hash, slots map[common.Hash]common.Hash, w *stateWriter) (common.Hash, error) {
	leaves := make([]leaf, 0, len(slots))
	for slot, value := range slots {
		if value == (common.Hash{}) {
			continue
		}
		encoded, err := rlp.EncodeToBytes(common.TrimLeftZeroes(value[:]))
		if err != nil {
			return common.Hash{}, err
		}
		hash := w.hashed(slot[:])
		w.slot(account, hash, encoded)
		leaves = append(leaves, leaf{hash[:], encoded})
	}
	return trieRoot(leaves, w.nodes(account))
}

// leaf is an entry of a secure trie. The trie hashes the key.
type leaf struct{ key, value []byte }

func trieRoot(leaves []leaf, nodes trie.OnTrieNode) (common.Hash, error) {
	slices.SortFunc(leaves, func(a, b leaf) int { return bytes.Compare(a.key, b.key) })
	t := trie.NewStackTrie(nodes)
	for _, l := range leaves {
		if err := t.Update(l.key, l.value); err != nil {
			return common.Hash{}, err
		}
	}
	return t.Hash(), nil
}
