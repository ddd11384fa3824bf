// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/sim/modes"
	"gwon/core/rules"
)

// contested reports whether releases of go-stablenet differ about a block (Release.bounds).
func contested(block *types.Block) bool {
	return !block.Number().IsUint64() || rules.SizeOf(block) != rules.Fits
}

// contester proposes blocks about which releases of go-stablenet differ, and votes for them. With small messages, where
// no block is large enough, it is honest.
type contester struct {
	honest
	// size is that of the proposal in bytes, before its seals; 0 for the size that it has.
	size int
	// wrapped adds 2^64 to the number of the block.
	wrapped bool

	instead common.Hash // of the proposal that is replaced
	wire    []Wire      // what all are sent
	made    int         // proposals
}

func (b *contester) send(n *raw, _ *Node, m said) []Wire {
	proposal, ok := m.newProposal()
	if !ok || messages.Limit() < b.size {
		return m.wire()
	}
	if hash := proposal.Block.Hash(); hash != b.instead {
		block := b.contest(n, proposal)
		if block == nil {
			return m.wire()
		}
		n.net.observer.learn(block)
		b.made++
		b.instead = hash
		b.wire = append(n.wire(modes.Proposal(proposal, block)), n.votesFor(block, proposal.Round)...)
	}
	return b.wire
}

// contest makes the block that the behavior proposes.
func (b *contester) contest(n *raw, proposal *messages.PrePrepare) *types.Block {
	block := proposal.Block
	if b.size > 0 {
		if block = filled(n.chain.head().Header(), block, b.size); block == nil {
			return nil
		}
	}
	if b.wrapped {
		header := block.Header()
		header.Number = new(big.Int).Add(header.Number, new(big.Int).Lsh(common.Big1, 64))
		block = types.NewBlockWithHeader(header).WithBody(*block.Body())
	}
	return block
}
