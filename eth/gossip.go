// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"math"
	"math/big"
	"math/rand/v2"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
)

// gossip spreads blocks (spec network 2.6).
type gossip struct {
	chain    *core.BlockChain
	sessions *sessions
}

// totalDifficulty is the total difficulty of a block: that of genesis plus one for each block after it (spec network 1).
func totalDifficulty(chain *core.BlockChain, number uint64) *big.Int {
	return new(big.Int).Add(chain.Genesis().Difficulty(), new(big.Int).SetUint64(number))
}

// unaware returns the peers that are not known to have a block, in random order.
func (g *gossip) unaware(hash common.Hash) []*session {
	var list []*session
	for _, ses := range g.sessions.ready() {
		if !ses.blocks.Contains(hash) {
			list = append(list, ses)
		}
	}
	rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// push sends the whole block to the square root of the peers that do not have it.
func (g *gossip) push(block *types.Block) {
	unaware := g.unaware(block.Hash())
	td := totalDifficulty(g.chain, block.NumberU64())
	for _, ses := range unaware[:int(math.Sqrt(float64(len(unaware))))] {
		ses.sendBlock(block, td)
	}
}

// announce tells all peers that do not have the block that it can be fetched here.
func (g *gossip) announce(header *types.Header) {
	for _, ses := range g.unaware(header.Hash()) {
		ses.sendHash(header)
	}
}

// spread pushes a block this node has committed and announces it to the rest. It implements part of wbft.Network.
func (g *gossip) spread(block *types.Block) {
	g.push(block)
	g.announce(block.Header())
}
