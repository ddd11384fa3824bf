// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/messages"
	"gwon/core/rules"
)

// contested reports whether releases of go-stablenet differ about a block (Release.bounds).
func contested(block *types.Block) bool {
	return !block.Number().IsUint64() || rules.SizeOf(block) != rules.Fits
}

// Contester proposes blocks about which releases of go-stablenet differ, and votes for them. With small messages, where
// no block is large enough, it is honest.
type Contester struct {
	// Size is that of the proposal in bytes, before its seals; 0 for the size that it has.
	Size int
	// Wrapped adds 2^64 to the number of the block.
	Wrapped bool

	instead common.Hash // of the proposal that is replaced
	wire    []Wire      // what all are sent
	made    int         // proposals
}

// Observe implements Behavior.
func (*Contester) Observe(*raw, uint64, []byte) {}

// Send implements Behavior.
func (b *Contester) Send(n *raw, _ *Node, code uint64, payload []byte) []Wire {
	proposal, others := newProposal(code, payload)
	if proposal == nil {
		return others
	}
	if messages.Limit() < b.Size {
		return []Wire{{code, payload}}
	}
	if hash := proposal.Block.Hash(); hash != b.instead {
		block := b.contest(n, proposal)
		if block == nil {
			return []Wire{{code, payload}}
		}
		n.net.observer.learn(block)
		b.made++
		b.instead = hash
		b.wire = append(n.wire(&messages.PrePrepare{
			Sequence: proposal.Sequence, Round: proposal.Round, Block: block, RoundChanges: proposal.RoundChanges,
		}), n.votesFor(block, proposal.Round)...)
	}
	return b.wire
}

// contest makes the block that the behavior proposes.
func (b *Contester) contest(n *raw, proposal *messages.PrePrepare) *types.Block {
	block := proposal.Block
	if b.Size > 0 {
		if block = filled(n.chain.head().Header(), block, b.Size); block == nil {
			return nil
		}
	}
	if b.Wrapped {
		header := block.Header()
		header.Number = new(big.Int).Add(header.Number, new(big.Int).Lsh(common.Big1, 64))
		block = types.NewBlockWithHeader(header).WithBody(*block.Body())
	}
	return block
}
