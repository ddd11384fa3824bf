// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package remotestate

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rlp"
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

// walk follows a key from the root of a trie through nodes that next supplies by their hashes. It returns the value,
// nil when the trie has none, and the nodes on the way. The nodes are those of the hashes, or walk fails.
func walk(root common.Hash, key []byte, next func(common.Hash) ([]byte, error)) (
	value []byte, way []placed, err error,
) {
	if root == types.EmptyRootHash {
		return nil, nil, nil
	}
	want, at := root, 0
	for range maxDepth {
		blob, err := next(want)
		if err != nil {
			return nil, way, err
		}
		if crypto.Keccak256Hash(blob) != want {
			return nil, way, fmt.Errorf("the node at nibble %d is not the one with hash %v", at, want)
		}
		way = append(way, placed{Path: bytes.Clone(key[:at]), Blob: blob})
		var done bool
		if value, want, at, done, err = descend(blob, key, at); err != nil || done {
			return value, way, err
		}
	}
	return nil, way, fmt.Errorf("a path of more than %d nodes", maxDepth)
}

// descend follows a key from nibble at within one encoded node, which may have small nodes inside. It ends at a value,
// at the absence of one, or at the hash of the node that follows.
func descend(blob, key []byte, at int) (value []byte, want common.Hash, next int, done bool, err error) {
	for range maxDepth {
		items, err := itemsOf(blob)
		if err != nil {
			return nil, want, at, false, err
		}
		var child []byte // with its header
		if len(items) == 17 {
			if at == len(key) {
				return nil, want, at, false, errors.New("a branch behind the end of the key")
			}
			child = items[key[at]]
			at++
		} else {
			part, leaf, err := partOf(items[0])
			if err != nil {
				return nil, want, at, false, err
			}
			if len(part) > len(key)-at || !bytes.Equal(part, key[at:at+len(part)]) {
				return nil, want, at, true, nil
			}
			at += len(part)
			if leaf {
				if at != len(key) {
					return nil, want, at, true, nil
				}
				content, rest, err := rlp.SplitString(items[1])
				if err != nil || len(rest) > 0 || len(content) == 0 {
					return nil, want, at, false, errors.New("a leaf without a value")
				}
				return content, want, at, true, nil
			}
			child = items[1]
		}
		kind, content, _, err := rlp.Split(child)
		switch {
		case err != nil:
			return nil, want, at, false, fmt.Errorf("a child cannot be read: %w", err)
		case kind == rlp.List:
			blob = child
		case len(content) == 0 && len(items) == 17:
			return nil, want, at, true, nil
		case len(content) == common.HashLength:
			return nil, common.BytesToHash(content), at, false, nil
		default:
			return nil, want, at, false, fmt.Errorf("a child of %d bytes", len(content))
		}
	}
	return nil, want, at, false, errors.New("a node with too many nodes inside")
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

// childPath returns the path at which a node refers to a hash, and reports whether it does.
func (p placed) childPath(hash common.Hash) ([]byte, bool) {
	if !bytes.Contains(p.Blob, hash[:]) {
		return nil, false
	}
	return within(p.Blob, p.Path, hash, 0)
}

func within(blob, path []byte, hash common.Hash, depth int) ([]byte, bool) {
	items, err := itemsOf(blob)
	if err != nil || depth > maxDepth {
		return nil, false
	}
	look := func(child, path []byte) ([]byte, bool) {
		kind, content, _, err := rlp.Split(child)
		switch {
		case err != nil:
			return nil, false
		case kind == rlp.List:
			return within(child, path, hash, depth+1)
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
