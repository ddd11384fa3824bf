// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package pathdb

import (
	"encoding/binary"
	"slices"
	"sync/atomic"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/trie/trienode"
)

const (
	recentLayers   = 128     // at least maxDiffLayers
	slotsPerNode   = 4       // fewer share a slot more often, and those nodes are looked up in each layer
	minRecentSlots = 1 << 12 // powers of two
	maxRecentSlots = 1 << 22
)

// recentNodes knows in which diff layer a trie node probably is, and which nodes are in none of them. A wrong answer
// costs time and nothing else, because the hash of a node proves it wherever it was found. The zero value is empty.
// Calls of fill and add need a lock, those of layer do not.
type recentNodes struct {
	layers [recentLayers]atomic.Pointer[diffLayer] // by id modulo recentLayers
	slots  atomic.Pointer[[]atomic.Uint32]         // by hash: low bits of the id of the last layer with such a node
	nodes  int                                     // in layers
}

// fill enters the nodes of head and of its ancestors, and of nothing else.
func (r *recentNodes) fill(head layer) {
	for i := range r.layers {
		r.layers[i].Store(nil)
	}
	r.slots.Store(nil)
	r.nodes = 0
	var layers []layer
	for ; head != nil; head = head.parentLayer() {
		layers = append(layers, head)
	}
	for _, l := range slices.Backward(layers) {
		r.add(l)
	}
}

// add enters the nodes of a diff layer.
func (r *recentNodes) add(l layer) {
	diff, ok := l.(*diffLayer)
	if !ok {
		return
	}
	r.nodes += diff.nodes.count()
	if old := r.layers[diff.id%recentLayers].Swap(diff); old != nil {
		r.nodes -= old.nodes.count()
	}
	size := minRecentSlots
	for size < maxRecentSlots && size < slotsPerNode*r.nodes {
		size *= 2
	}
	if slots := r.slots.Load(); slots != nil && size <= len(*slots) {
		enter(*slots, diff)
		return
	}
	slots := make([]atomic.Uint32, size)
	for i := range recentLayers {
		if known := r.layers[(diff.id+1+uint64(i))%recentLayers].Load(); known != nil {
			enter(slots, known)
		}
	}
	r.slots.Store(&slots)
}

func enter(slots []atomic.Uint32, diff *diffLayer) {
	id := uint32(diff.id)
	of := func(nodes map[string]*trienode.Node) {
		for _, n := range nodes {
			slots[slotOf(slots, n.Hash)].Store(id)
		}
	}
	of(diff.nodes.accountNodes)
	for _, nodes := range diff.nodes.storageNodes {
		of(nodes)
	}
}

func slotOf(slots []atomic.Uint32, hash common.Hash) int {
	return int(binary.BigEndian.Uint32(hash[:])) & (len(slots) - 1)
}

// count returns the number of nodes.
func (s *nodeSet) count() int {
	n := len(s.accountNodes)
	for _, nodes := range s.storageNodes {
		n += len(nodes)
	}
	return n
}

// layer returns the id of the last layer with a node in the slot of hash, low bits only, and the layer that is in its
// place.
func (r *recentNodes) layer(hash common.Hash) (id uint32, l *diffLayer) {
	slots := r.slots.Load()
	if slots == nil {
		return 0, nil
	}
	id = (*slots)[slotOf(*slots, hash)].Load()
	return id, r.layers[id%recentLayers].Load()
}

// recentNode finds a node without a look into each of the layers above the disk layer, where upstream looks until a
// layer has the node. It reports false when that is needed.
func (r *reader) recentNode(owner common.Hash, path []byte, hash common.Hash) (blob []byte, found bool) {
	if r.noHashCheck {
		return nil, false
	}
	id, l := r.db.tree.recent.layer(hash)
	// The base comes first: a layer that went to disk is not asked, so that damage on disk is found as without the table.
	base := r.db.tree.bottom()
	if id > uint32(base.id) {
		if l == nil {
			return nil, false
		}
		n, ok := l.nodes.node(owner, path)
		if !ok || n.Hash != hash {
			return nil, false
		}
		dirtyNodeHitMeter.Mark(1)
		dirtyNodeReadMeter.Mark(int64(len(n.Blob)))
		return n.Blob, true
	}
	// A base that was replaced meanwhile answers with an error, and a node that it has in another form has another hash.
	blob, got, _, err := base.node(owner, path, 0)
	return blob, err == nil && got == hash
}
