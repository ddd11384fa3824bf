// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package pathdb

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/big"
	"path/filepath"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/ethereum/go-ethereum/trie/trienode"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The table finds the nodes of each state in memory, all but those that share a slot with a newer one. What it finds is
// what the layers have.
func TestRecentNodes(t *testing.T) {
	test := newTester(t, &testerConfig{layers: maxDiffLayers + 4, journalDir: filepath.Join(t.TempDir(), "journal")})
	defer test.release()
	check := func(t *testing.T) {
		t.Helper()
		base := test.db.tree.bottom().id
		known, shared := 0, 0
		for i, root := range test.roots[base:] {
			opened := must.Get(test.db.NodeReader(root))(t)
			r := opened.(*reader)
			for _, n := range written(test.nodes[int(base)+i]) {
				want, hash, _, err := r.layer.node(n.owner, n.path, 0)
				require.Truef(t, err == nil && hash == n.Hash, "layer %d has node %x, %v, want %x", i, hash, err, n.Hash)
				got, found := r.recentNode(n.owner, n.path, hash)
				switch {
				case !found:
					shared++
				case !bytes.Equal(got, want):
					t.Fatalf("layer %d has node %x at path %x, want %x", i, got, n.path, want)
				default:
					known++
				}
			}
			assert.NoError(t, test.verifyState(root))
		}
		assert.Truef(t, known >= 1000 && shared <= known/4, "%d nodes were found, %d were not", known, shared)
	}
	check(t)
	t.Run("extended", func(t *testing.T) {
		test.extend(3)
		check(t)
	})
	t.Run("from the journal", func(t *testing.T) {
		must.Do(t, test.db.Journal(test.lastHash()))
		must.Do(t, test.db.Close())
		test.db = New(test.db.diskdb, test.db.config, false)
		check(t)
	})
}

// writtenNode is a trie node and its place.
type writtenNode struct {
	owner common.Hash
	path  []byte
	*trienode.Node
}

// written returns the nodes of a set that are not deletions.
func written(set *trienode.MergedNodeSet) (list []writtenNode) {
	for owner, nodes := range set.Nodes() {
		for path, node := range nodes {
			if !node.IsDeleted() {
				list = append(list, writtenNode{owner, []byte(path), node})
			}
		}
	}
	return list
}

// A table that is wrong about every node changes no answer.
func TestRecentNodesAreAHint(t *testing.T) {
	test := newTester(t, &testerConfig{layers: maxDiffLayers + 4})
	defer test.release()
	recent := &test.db.tree.recent
	base := uint32(test.db.tree.bottom().id)
	for name, id := range map[string]uint32{
		"on disk":               0,
		"in the first layer":    base + 1,
		"in the last":           uint32(len(test.roots)),
		"in none that is known": 1 << 31,
	} {
		t.Run(name, func(t *testing.T) {
			slots := *recent.slots.Load()
			for i := range slots {
				slots[i].Store(id)
			}
			for _, root := range test.roots[base:] {
				assert.NoError(t, test.verifyState(root))
			}
		})
	}
}

// A state in memory is read while newer ones push older ones to disk.
func TestRecentNodesWhileLayersMove(t *testing.T) {
	test := newTester(t, &testerConfig{layers: maxDiffLayers + 4})
	defer test.release()
	first, last := test.roots[0], len(test.roots)-1
	opened := must.Get(test.db.NodeReader(test.roots[last]))(t)
	nodes := written(test.nodes[last])
	moved, read := make(chan struct{}), make(chan error)
	go func() {
		defer close(read)
		for {
			for _, n := range nodes {
				if blob, err := opened.Node(n.owner, n.path, n.Hash); err != nil || !bytes.Equal(blob, n.Blob) {
					read <- fmt.Errorf("path %x: %x, %w", n.path, blob, err)
					return
				}
			}
			select {
			case <-moved:
				return
			default:
			}
		}
	}()
	test.extend(40)
	close(moved)
	for err := range read {
		t.Error(err)
	}
	_, err := test.db.NodeReader(first)
	assert.Error(t, err, "no state went to disk")
}

// BenchmarkRecentNodes reads nodes of the disk layer and of layers above it, of which each has 16,000 nodes.
func BenchmarkRecentNodes(b *testing.B) {
	const perLayer = 16_000
	config := &Config{TrieCleanSize: 64 << 20, StateCleanSize: 1 << 20, WriteBufferSize: 64 << 20}
	db := New(rawdb.NewMemoryDatabase(), config, false)
	b.Cleanup(func() { _ = db.Close() })
	path := func(n uint64) []byte {
		n *= 0x9e3779b1 // odd: no two nodes share the 28 bits of a path
		nibbles := make([]byte, 7)
		for i := range nibbles {
			nibbles[i] = byte(n >> (4 * i) & 15)
		}
		return nibbles
	}
	blob := func(n uint64) []byte {
		b := make([]byte, 100)
		binary.BigEndian.PutUint64(b, n)
		return b
	}
	parent := common.Hash{}
	for _, l := range db.tree.layers {
		parent = l.rootHash()
	}
	for layer := uint64(1); layer <= recentLayers; layer++ {
		nodes := make(map[string]*trienode.Node)
		for i := range uint64(perLayer) {
			n := layer*perLayer + i
			nodes[string(path(n))] = &trienode.Node{Hash: crypto.Keccak256Hash(blob(n)), Blob: blob(n)}
		}
		root := common.BigToHash(new(big.Int).SetUint64(layer + 1))
		set := NewNodeSetWithOrigin(map[common.Hash]map[string]*trienode.Node{{}: nodes}, nil)
		must.Do(b, db.tree.add(root, parent, layer, set, NewStateSetWithOrigin(nil, nil, nil, nil, false)))
		parent = root
	}
	for i := range uint64(perLayer) {
		rawdb.WriteAccountTrieNode(db.diskdb, path(i), blob(i))
	}
	opened := must.Get(db.NodeReader(parent))(b)
	r := opened.(*reader)
	for _, layer := range []uint64{0, recentLayers / 2, recentLayers} {
		read := func(b *testing.B, node func(owner common.Hash, path []byte, hash common.Hash) ([]byte, error)) {
			paths, hashes := make([][]byte, perLayer), make([]common.Hash, perLayer)
			for i := range uint64(perLayer) {
				n := layer*perLayer + i
				paths[i], hashes[i] = path(n), crypto.Keccak256Hash(blob(n))
			}
			for i := 0; b.Loop(); i++ {
				if got, err := node(common.Hash{}, paths[i%perLayer], hashes[i%perLayer]); err != nil || len(got) == 0 {
					b.Fatal(len(got), err)
				}
			}
		}
		b.Run(fmt.Sprintf("layer %d/by the table", layer), func(b *testing.B) { read(b, r.Node) })
		b.Run(fmt.Sprintf("layer %d/layer by layer", layer), func(b *testing.B) {
			read(b, func(owner common.Hash, path []byte, hash common.Hash) ([]byte, error) {
				blob, _, _, err := r.layer.node(owner, path, 0)
				return blob, err
			})
		})
	}
}
