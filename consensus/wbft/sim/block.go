// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sim

import (
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/internal/scheme"
	"gwon/consensus/wbft/validators"
)

// invalidMark in the vanity makes a block invalid for every honest node.
const invalidMark = "invalid"

// newBlock makes an empty block with a real header on top of a parent, or a genesis block.
func newBlock(parent *types.Block, coinbase common.Address, time uint64, x *types.WBFTExtra) *types.Block {
	header := &types.Header{
		UncleHash:   types.EmptyUncleHash,
		Coinbase:    coinbase,
		Root:        types.EmptyRootHash,
		TxHash:      types.EmptyTxsHash,
		ReceiptHash: types.EmptyReceiptsHash,
		Difficulty:  big.NewInt(1),
		Number:      new(big.Int),
		GasLimit:    105_000_000,
		Time:        time,
		Extra:       x.Encode(),
		BaseFee:     big.NewInt(20_000_000_000_000),
	}
	if parent != nil {
		header.ParentHash = parent.Hash()
		header.Number.SetUint64(parent.NumberU64() + 1)
	}
	return types.NewBlockWithHeader(header)
}

// checkSeals verifies a block's own seals, and those over its parent, by the rules of spec wbft 7.1 nos. 16, 17, 20
// and 21.
func (n *Network) checkSeals(block, parent *types.Block) error {
	x, err := block.Header().WBFTExtra()
	if err != nil {
		return err
	}
	set := n.set(block.NumberU64())
	if err := n.verifySeal(set, x.PreparedSeal, extra.SealDigest(block.Header(), x.Round, extra.Prepare)); err != nil {
		return err
	}
	if err := n.verifySeal(set, x.CommittedSeal, extra.SealDigest(block.Header(), x.Round, extra.Commit)); err != nil {
		return err
	}
	return n.checkPrevSeals(x, block, parent)
}

// verifySeal verifies an aggregate. All nodes check the same ones, and the answer is the same for all.
func (n *Network) verifySeal(set *validators.Set, seal *types.WBFTSeal, digest [32]byte) error {
	if seal == nil {
		return set.VerifySeal(seal, digest)
	}
	key := fmt.Sprintf("%p %x %x %x", set, digest, seal.Sealers, seal.Signature)
	err, known := n.verdicts[key]
	if !known {
		err = set.VerifySeal(seal, digest)
		n.verdicts[key] = err
	}
	return err
}

// checkPrevSeals verifies the previous-block seals.
func (n *Network) checkPrevSeals(x *types.WBFTExtra, block, parent *types.Block) error {
	if block.NumberU64() < 2 {
		return nil
	}
	set := n.set(parent.NumberU64())
	digest := extra.SealDigest(parent.Header(), x.PrevRound, extra.Prepare)
	if err := n.verifySeal(set, x.PrevPreparedSeal, digest); err != nil {
		return err
	}
	digest = extra.SealDigest(parent.Header(), x.PrevRound, extra.Commit)
	return n.verifySeal(set, x.PrevCommittedSeal, digest)
}

// prevSeals fills in the seals over the parent: those of its stored header and what came late (spec wbft 6.2 no. 4).
func prevSeals(x *types.WBFTExtra, parent *types.Block, set *validators.Set, late lateSeals) error {
	if parent.NumberU64() == 0 {
		return nil
	}
	p, err := parent.Header().WBFTExtra()
	if err != nil {
		return err
	}
	x.PrevRound, x.PrevPreparedSeal, x.PrevCommittedSeal = p.Round, p.PreparedSeal, p.CommittedSeal
	if late.digest != parent.Hash() || late.round != p.Round {
		return nil
	}
	if x.PrevPreparedSeal, err = set.Merge(p.PreparedSeal, late.prepared); err != nil {
		return err
	}
	x.PrevCommittedSeal, err = set.Merge(p.CommittedSeal, late.committed)
	return err
}

// lateSeals is the answer of Core.LateSeals.
type lateSeals struct {
	round               uint32
	digest              common.Hash
	prepared, committed map[int]scheme.Signature
}
