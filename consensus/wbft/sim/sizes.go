// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"bytes"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"

	"gwon/consensus/wbft/internal/scale"
	"gwon/consensus/wbft/messages"
	"gwon/consensus/wbft/sim/modes"
	"gwon/core/rules"
)

// UseSmallMessages makes all networks that run from now on bound messages, and pushed blocks, so that to fill one costs
// little, and returns what ends that. No network may be running meanwhile. A header with the most extra data has room,
// twice over.
func UseSmallMessages() (restore func()) {
	before := scale.MaxMessage
	scale.MaxMessage = 256 << 10
	return func() { scale.MaxMessage = before }
}

// withTransactions is a block with other transactions, and all that follows from them in its header.
func withTransactions(parent *types.Header, block *types.Block, txs types.Transactions) *types.Block {
	header := block.Header()
	header.GasUsed = uint64(len(txs)) * params.TxGas
	header.TxHash = types.DeriveSha(txs, trie.NewStackTrie(nil))
	header.ReceiptHash = receiptRoot(header.TxHash)
	header.Root = stateRoot(parent, header)
	return types.NewBlockWithHeader(header).WithBody(types.Body{Transactions: txs})
}

// filled is a block with one transaction that brings its RLP to a size in bytes; nil if there is none. There are no
// long runs of zeros in it, which the vote log writes otherwise: the observer looks for the bytes of votes on the disk.
func filled(parent *types.Header, block *types.Block, size int) *types.Block {
	data := size - int(block.Size())
	for tries := 0; tries < 8 && data >= 0; tries++ {
		tx := types.NewTx(&types.LegacyTx{
			Gas: params.TxGas, GasPrice: new(big.Int), Value: new(big.Int), To: &common.Address{},
			Data: bytes.Repeat([]byte{1}, data),
			V:    big.NewInt(27), R: common.Big1, S: common.Big1,
		})
		full := withTransactions(parent, block, types.Transactions{tx})
		n := int(full.Size())
		if n == size {
			return full
		}
		data += size - n
	}
	return nil
}

// stretched is a block whose extra data has a size in bytes, as measured, because of its vanity; nil if it cannot.
func stretched(block *types.Block, size int, measure func(*types.WBFTExtra) int) *types.Block {
	header := block.Header()
	x, err := header.WBFTExtra()
	if err != nil {
		return nil
	}
	x.Vanity = bytes.Repeat([]byte{1}, size)
	x.Vanity = x.Vanity[:2*size-measure(x)]
	if measure(x) != size {
		return nil
	}
	header.Extra = x.Encode()
	return types.NewBlockWithHeader(header).WithBody(*block.Body())
}

// tooLargeToPush reports whether a sealed block does not fit into NewBlock (spec network 2.2).
func tooLargeToPush(block *types.Block) bool {
	return int(rlp.ListSize(block.Size()+rlp.ListSize(32))) > messages.Limit()
}

// stretcher proposes blocks that lie at the bounds, and a byte beyond: as large as a message of its own can be or as
// any that carries the block on, with extra data or client text that is as long as allowed, with as many
// transactions as there is gas for. It leaves some validators out, and votes for what it proposes, mostly with a
// PREPARE alone.
type stretcher struct {
	honest
	blocks replacements
}

func (b *stretcher) send(n *raw, to *Node, m said) []Wire {
	if m.Code() == messages.CodeCommit && n.roll("stretch commit", m.View().Sequence)%4 > 0 {
		return nil
	}
	proposal, ok := m.newProposal()
	if !ok || proposal.Block.NumberU64() != n.Height()+1 {
		return m.wire()
	}
	block := b.blocks.of(proposal.Block, func() *types.Block { return n.stretch(proposal) })
	if block == nil {
		return m.wire()
	}
	draw := n.net.roll("stretch", uint64(n.id), proposal.Sequence, proposal.Round, uint64(to.id))
	if draw%5 == 0 {
		return nil
	}
	votes := n.votesFor(block, proposal.Round)
	if n.net.roll("stretch votes", uint64(n.id), proposal.Sequence)%4 > 0 {
		votes = votes[:1]
	}
	return append(n.wire(modes.Proposal(proposal, block)), votes...)
}

// stretch makes a block at one of the bounds, or a byte beyond it.
func (n *raw) stretch(proposal *messages.PrePrepare) *types.Block {
	parent := n.chain.head().Header()
	members := len(n.net.members(proposal.Sequence))
	draw := n.net.roll("stretched", uint64(n.id), proposal.Sequence, proposal.Round)
	beyond := int(draw/8) % 2
	var block *types.Block
	switch draw % 8 {
	case 0, 1: // what just fits into a PRE-PREPARE
		// whose lists have headers as long as those of the largest block
		block = filled(parent, proposal.Block, messages.Limit()/2)
		if block != nil {
			sized := modes.Proposal(proposal, block)
			if sized.SignWith(n.sign) != nil {
				return nil
			}
			block = filled(parent, proposal.Block, messages.Limit()-len(sized.Encode())+int(block.Size())+beyond)
		}
	case 2, 3:
		block = filled(parent, proposal.Block, messages.MaxProposal(members)+beyond)
	case 4, 5: // what just passes the gate before it is sealed
		block = stretched(proposal.Block, rules.MaxExtra+beyond, func(x *types.WBFTExtra) int { return len(x.Encode()) })
	case 6:
		block = stretched(proposal.Block, 1024+beyond, func(x *types.WBFTExtra) int { return len(x.Vanity) })
	case 7:
		count := int(parent.GasLimit/params.TxGas) + beyond*2000
		tx := types.NewTx(&types.LegacyTx{
			Gas: params.TxGas, GasPrice: new(big.Int), Value: new(big.Int), V: big.NewInt(27), R: common.Big1, S: common.Big1,
		})
		block = withTransactions(parent, proposal.Block, slices.Repeat(types.Transactions{tx}, count))
	}
	if block != nil {
		n.net.observer.learn(block)
	}
	return block
}
