// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package remotestate

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"

	"gwon/consensus/finality"
)

// maxDepth bounds the nodes of a path: one for each nibble of a key and the root.
const maxDepth = 2*common.HashLength + 1

// placed is a node of a trie and where it stands.
type placed struct {
	Owner common.Address // of a storage trie; zero for the trie of accounts
	Path  []byte         // nibbles from the root
	Blob  []byte
}

// nibblesOf returns the halves of the bytes of a hash.
func nibblesOf(hash common.Hash) []byte {
	nibbles := make([]byte, 0, 2*len(hash))
	for _, b := range hash {
		nibbles = append(nibbles, b>>4, b&15)
	}
	return nibbles
}

// storedValue returns the value of a key in the trie with a root, nil when the trie has none. next supplies nodes by
// their hashes, and its errors are passed on.
func storedValue(root, key common.Hash, next func(common.Hash) ([]byte, error)) ([]byte, error) {
	if root == types.EmptyRootHash {
		return nil, nil
	}
	nodes := suppliedNodes{next: next}
	value, err := trie.VerifyProof(root, key[:], &nodes)
	if nodes.failed != nil {
		return nil, nodes.failed
	}
	return value, err
}

// suppliedNodes keeps the first error of a function that supplies nodes, which package trie drops.
type suppliedNodes struct {
	next   func(common.Hash) ([]byte, error)
	failed error
}

// Get implements ethdb.KeyValueReader.
func (n *suppliedNodes) Get(hash []byte) (node []byte, err error) {
	if node, err = n.next(common.Hash(hash)); err != nil && n.failed == nil {
		n.failed = err
	}
	return node, err
}

// Has implements ethdb.KeyValueReader.
func (n *suppliedNodes) Has(hash []byte) (bool, error) {
	_, err := n.next(common.Hash(hash))
	return err == nil, nil
}

// follow returns the value of a key, nil when the trie has none, and the nodes of a proof of it with their places. The
// proof has the nodes that the key needs, and no others.
func follow(root, key common.Hash, proof []hexutil.Bytes) (value []byte, way []placed, err error) {
	if len(proof) > maxDepth {
		return nil, nil, fmt.Errorf("it has %d nodes, at most %d are possible", len(proof), maxDepth)
	}
	if root == types.EmptyRootHash {
		return nil, nil, nil
	}
	if value, err = finality.FollowPath(root, key[:], proof); err != nil {
		return nil, nil, err
	}
	way, nibbles := make([]placed, len(proof)), nibblesOf(key)
	for i, blob := range proof {
		way[i].Blob = blob
		if i == 0 {
			continue
		}
		at, found := way[i-1].childPath(crypto.Keccak256Hash(blob), nibbles)
		if !found {
			return nil, nil, fmt.Errorf("node %d stands at no place of the key", i)
		}
		way[i].Path = at
	}
	return value, way, nil
}

// itemsOf splits a node into its 17 or 2 items. Each item has its header.
func itemsOf(blob []byte) ([][]byte, error) {
	content, rest, err := rlp.SplitList(blob)
	if err != nil || len(rest) > 0 {
		return nil, errors.New("a node is not one list")
	}
	var items [][]byte
	for len(content) > 0 {
		_, _, behind, err := rlp.Split(content)
		if err != nil || len(items) == 17 {
			return nil, errors.New("a node with items that cannot be read")
		}
		items = append(items, content[:len(content)-len(behind)])
		content = behind
	}
	if len(items) != 17 && len(items) != 2 {
		return nil, fmt.Errorf("a node of %d items", len(items))
	}
	return items, nil
}

// partOf decodes the part of a key in a node of two items, and reports whether that is a leaf.
func partOf(item []byte) (part []byte, leaf bool, err error) {
	compact, rest, err := rlp.SplitString(item)
	if err != nil || len(rest) > 0 || len(compact) == 0 || len(compact) > common.HashLength+1 || compact[0]>>4 > 3 {
		return nil, false, errors.New("a part of a key that cannot be read")
	}
	leaf = compact[0]>>4 >= 2
	if compact[0]>>4&1 == 1 {
		part = append(part, compact[0]&15)
	}
	for _, b := range compact[1:] {
		part = append(part, b>>4, b&15)
	}
	if len(part) == 0 && !leaf {
		return nil, false, errors.New("an extension by nothing")
	}
	return part, leaf, nil
}

// childPath returns the path at which a node refers to a hash, and reports whether it does. Only paths on the way to a
// key count, and all where key is nil.
func (p placed) childPath(hash common.Hash, key []byte) ([]byte, bool) {
	if !bytes.Contains(p.Blob, hash[:]) {
		return nil, false
	}
	return within(p.Blob, p.Path, hash, key, 0)
}

func within(blob, path []byte, hash common.Hash, key []byte, depth int) ([]byte, bool) {
	items, err := itemsOf(blob)
	if err != nil || depth > maxDepth {
		return nil, false
	}
	look := func(child, path []byte) ([]byte, bool) {
		kind, content, _, err := rlp.Split(child)
		switch {
		case err != nil || key != nil && !bytes.HasPrefix(key, path):
			return nil, false
		case kind == rlp.List:
			return within(child, path, hash, key, depth+1)
		}
		return path, bytes.Equal(content, hash[:])
	}
	if len(items) == 2 {
		part, leaf, err := partOf(items[0])
		if err != nil || leaf {
			return nil, false
		}
		return look(items[1], append(bytes.Clone(path), part...))
	}
	for nibble, child := range items[:16] {
		if at, found := look(child, append(bytes.Clone(path), byte(nibble))); found {
			return at, true
		}
	}
	return nil, false
}
