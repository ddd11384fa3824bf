// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devchain

import (
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus/misc/eip1559"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/extra"
	"gwon/core/rules"
)

// repeat makes up to most blocks behind an idle head without executing anything: an empty block changes the state of an
// epoch's end alone. They differ from what seal makes in one value, the reveal, which is a stand-in as their seals are.
// It returns how many it has made, 0 where the next block has to be executed. The lock is held.
func (c *Chain) repeat(most uint64, timestamp func(parent uint64) uint64) (uint64, error) {
	parent := c.chain.CurrentBlock()
	next := parent.Number.Uint64() + 1
	if !c.isIdle(parent) || c.hasWork() {
		return 0, nil
	}
	out, err := c.repeatedExtra(parent)
	if err != nil {
		return 0, err
	}
	var blocks []*types.Block
	hash := parent.Hash()
	for n := next; n < next+min(most, 256) && c.chain.Config().LastEpochBlock(n) != n; n++ {
		header := types.CopyHeader(parent)
		header.ParentHash, header.Number = hash, new(big.Int).SetUint64(n)
		header.Time = timestamp(parent.Time)
		if c.settings.Load().gasLimit == 0 {
			header.GasLimit = c.service.Ethereum().Miner().GasLimitAfter(parent.GasLimit)
		}
		header.BaseFee = eip1559.CalcBaseFee(c.chain.Config(), parent)
		header.MixDigest = extra.MixHash(parent.MixDigest, out.RandaoReveal)
		header.Extra = out.Encode()
		out.PrevRound, out.PrevPreparedSeal, out.PrevCommittedSeal = 0, out.PreparedSeal, out.CommittedSeal
		block := types.NewBlockWithHeader(header)
		blocks, hash, parent = append(blocks, block), block.Hash(), header
	}
	return uint64(len(blocks)), c.chain.CommitIdle(blocks)
}

// isIdle reports whether a block was empty, changed no state, and has the fields that the next one is to have.
func (c *Chain) isIdle(head *types.Header) bool {
	before := c.chain.GetHeader(head.ParentHash, head.Number.Uint64()-1)
	s := c.settings.Load()
	if before == nil || s.timestamp != 0 || s.baseFee != nil || s.prevRandao != nil {
		return false
	}
	return head.TxHash == types.EmptyTxsHash && head.Root == before.Root &&
		(s.gasLimit == 0 || s.gasLimit == head.GasLimit) && head.Coinbase == c.coinbase() &&
		c.changes.at(head.Number.Uint64(), head.Hash()) == nil
}

// repeatedExtra returns the extra data of the block behind a head.
func (c *Chain) repeatedExtra(head *types.Header) (*types.WBFTExtra, error) {
	set, err := c.engine.sealers(c.chain, head)
	if err != nil {
		return nil, fmt.Errorf("validators after block %d: %w", head.Number, err)
	}
	index, err := c.onlyValidator(set, head.Number.Uint64()+1)
	if err != nil {
		return nil, err
	}
	sealed, err := head.WBFTExtra()
	if err != nil {
		return nil, fmt.Errorf("extra data of block %d: %w", head.Number, err)
	}
	d := otherSeals
	if head.Coinbase != c.validator {
		d |= otherCoinbase
	}
	stand := c.standInFor(index)
	return &types.WBFTExtra{
		Vanity: markVanity(d, common.Hash{}), RandaoReveal: c.standInReveal,
		PrevRound: sealed.Round, PrevPreparedSeal: rules.TrimSeal(sealed.PreparedSeal),
		PrevCommittedSeal: rules.TrimSeal(sealed.CommittedSeal), PreparedSeal: stand, CommittedSeal: stand,
		GasTip: sealed.GasTip,
	}, nil
}
