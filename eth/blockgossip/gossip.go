// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package blockgossip

import (
	"cmp"
	"hash/maphash"
	"math"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/core/rules"
	"gwon/eth/session"
)

// Gossip broadcasts blocks (spec network 2.6).
type Gossip struct {
	chain    *gethcore.BlockChain
	sessions *session.Sessions
}

// New returns a Gossip for the blocks of a chain.
func New(chain *gethcore.BlockChain, sessions *session.Sessions) *Gossip {
	return &Gossip{chain, sessions}
}

// unaware returns the peers that are not known to have a block, in random order.
func (g *Gossip) unaware(hash common.Hash) []*session.Session {
	var list []*session.Session
	for _, ses := range g.sessions.Ready() {
		if !ses.Knows(hash) {
			list = append(list, ses)
		}
	}
	seed := maphash.MakeSeed()
	slices.SortFunc(list, func(a, b *session.Session) int {
		return cmp.Compare(maphash.Comparable(seed, a), maphash.Comparable(seed, b))
	})
	return list
}

// push sends the whole block to the square root of the peers that lack it. Holders have the block, or will have it,
// with its seals. Other peers receive the announcement.
func (g *Gossip) push(block *types.Block, holders []common.Address) {
	if len(block.Extra()) > rules.MaxExtra {
		return // peers would end the connection: they fetch it once it is announced
	}
	unaware := slices.DeleteFunc(g.unaware(block.Hash()),
		func(ses *session.Session) bool { return slices.Contains(holders, ses.Address) })
	td := session.TotalDifficulty(g.chain, block.NumberU64())
	for _, ses := range unaware[:int(math.Sqrt(float64(len(unaware))))] {
		ses.SendBlock(block, td)
	}
}

// Announce announces the block to all peers that lack it.
func (g *Gossip) Announce(header *types.Header) {
	for _, ses := range g.unaware(header.Hash()) {
		ses.SendHash(header)
	}
}

// Broadcast pushes a committed block to some of the peers that lack it, and announces it to the others. It implements
// part of wbft.Network.
func (g *Gossip) Broadcast(block *types.Block, holders []common.Address) {
	g.push(block, holders)
	g.Announce(block.Header())
}
