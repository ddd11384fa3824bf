// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/lru"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/core/rules"
)

// Release is what a release of go-stablenet does otherwise than another one, as far as a network can tell. All that
// stands in spec wbft 4 and 5 without the name of a release is the same in both.
type Release struct {
	// provesPrepares has the signatures of the PREPAREs in a PRE-PREPARE verified (spec wbft 5.4).
	provesPrepares bool
	// countsSenders counts of the lists in a justification the first message of each sender, and wants each ROUND-
	// CHANGE to be of the proposal's view (spec wbft 5.9). Of a prepared certificate it counts distinct senders (spec
	// wbft 5.7).
	countsSenders bool
	// nextRounds is how many rounds of the next sequence have a place in the backlog; 0 for all (spec wbft 5.4).
	nextRounds uint64
	// backlog is how many messages of a sender are kept, one for each kind and view, the first; 0 for no bound (spec
	// wbft 5.4).
	backlog int
	// bounds has blocks refused above rules.MaxBlock, a proposal by its size before its seals and a sealed block by its
	// whole size (spec wbft 7.3). Block numbers above 64 bits are refused too, which others cut to their low 64 bits.
	bounds bool
}

// releases are those of go-stablenet that there are models of, by name. "later" has the rules of its newer sources.
var releases = map[string]*Release{
	"v1.0.1": {},
	"v1.1.0": {provesPrepares: true, countsSenders: true, nextRounds: 10, backlog: 88},
	"later":  {provesPrepares: true, countsSenders: true, nextRounds: 10, backlog: 88, bounds: true},
}

// liveRelease is the one that a script means when it names none: the test network runs it.
const liveRelease = "v1.1.0"

// releaseNames are their names in order.
func releaseNames() []string { return sortedKeys(releases) }

// takes reports whether a release accepts the size and the number of a block, a proposal or a sealed one.
func (r *Release) takes(block *types.Block) bool {
	return !r.bounds || block.Number().IsUint64() && block.Size() <= rules.MaxBlock
}

// reads returns a block as a release judges it: without bounds, by the low 64 bits of its number.
func (r *Release) reads(block *types.Block) *types.Block {
	if r.bounds || block.Number().IsUint64() {
		return block
	}
	header := block.Header()
	header.Number = new(big.Int).SetUint64(block.NumberU64())
	return types.NewBlockWithHeader(header).WithBody(*block.Body())
}

// referenceCaches are those of a node of go-stablenet. They outlive connections, and end with the process (spec wbft
// 4.4, 5.5).
type referenceCaches struct {
	known lru.BasicLRU[common.Hash, struct{}]                                // seen or sent, from whomever
	peers lru.BasicLRU[common.Address, *lru.BasicLRU[common.Hash, struct{}]] // sent to a peer, or by it
	// since when a connection has a way for messages
	attached map[common.Address]time.Time
}

func newReferenceCaches() *referenceCaches {
	return &referenceCaches{
		known:    lru.NewBasicLRU[common.Hash, struct{}](knownMessages),
		peers:    lru.NewBasicLRU[common.Address, *lru.BasicLRU[common.Hash, struct{}]](40),
		attached: make(map[common.Address]time.Time),
	}
}

// mark notes that a peer has a message, and reports whether that is new.
func (c *referenceCaches) mark(peer *Node, hash common.Hash) bool {
	cache, ok := c.peers.Get(peer.address)
	if !ok {
		fresh := lru.NewBasicLRU[common.Hash, struct{}](knownMessages)
		cache = &fresh
		c.peers.Add(peer.address, cache)
	}
	_, known := cache.Get(hash)
	cache.Add(hash, struct{}{})
	return !known
}

// fresh notes that a message is known, and reports whether that is new.
func (c *referenceCaches) fresh(hash common.Hash) bool {
	_, known := c.known.Get(hash)
	c.known.Add(hash, struct{}{})
	return !known
}
