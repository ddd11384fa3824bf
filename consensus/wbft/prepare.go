// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"

	"gwon/consensus/wbft/extra"
	"gwon/consensus/wbft/validators"
	"gwon/core"
	"gwon/core/rules"
)

// MaxVanity is the longest client text a proposer writes; it is padded to 32 bytes with at least one zero (spec wbft
// 1.2).
const MaxVanity = 31

// Prepare fills the consensus fields of a header to build (spec wbft 6.2). header.Extra is the vanity text. A header
// whose coinbase is this validator becomes a candidate for sealing; any other is only looked at, as the pending block,
// and gets no reveal: a reveal that is known early can be used by another proposer.
func (e *Engine) Prepare(chain consensus.ChainHeaderReader, header *types.Header) error {
	number := header.Number.Uint64()
	if number == 0 {
		return errUnknownBlock
	}
	parent := chain.GetHeader(header.ParentHash, number-1)
	if parent == nil {
		return consensus.ErrUnknownAncestor
	}
	if len(header.Extra) > MaxVanity {
		return fmt.Errorf("the extra data text has %d bytes, at most %d are allowed", len(header.Extra), MaxVanity)
	}
	header.Difficulty = big.NewInt(1)
	header.Nonce = types.BlockNonce{}
	header.Time = max(header.Time, parent.Time+e.config.WBFTAt(number).BlockPeriodSeconds)

	state := stateAfter(chain, parent)
	if state == nil {
		return fmt.Errorf("the state of block %d is not available", parent.Number)
	}
	out := &types.WBFTExtra{
		Vanity: common.RightPadBytes(header.Extra, MaxVanity+1),
		GasTip: core.GasTip(state, e.config.Anzeon.SystemContracts.GovValidator.Address),
	}
	header.MixDigest = parent.MixDigest
	if key := e.key.Load(); key != nil && (*key).Address() == header.Coinbase {
		reveal, err := (*key).RandaoReveal(e.config.ChainID, number)
		if err != nil {
			return fmt.Errorf("randao reveal: %w", err)
		}
		out.RandaoReveal = reveal
		header.MixDigest = extra.MixHash(parent.MixDigest, reveal)
	}
	if number >= 2 {
		if err := e.carrySeals(chain, parent, out); err != nil {
			return err
		}
	}
	header.Extra = out.Encode()
	return nil
}

// carrySeals copies the parent's seals into the previous-block items, joined by those that arrived late (spec wbft
// 5.8).
func (e *Engine) carrySeals(chain consensus.ChainHeaderReader, parent *types.Header, out *types.WBFTExtra) error {
	sealed, err := parent.WBFTExtra()
	if err != nil {
		return fmt.Errorf("%w of parent block %d: %w", errExtraFormat, parent.Number, err)
	}
	if sealed.PreparedSeal == nil || sealed.CommittedSeal == nil {
		return fmt.Errorf("stored parent block %d has no seals", parent.Number)
	}
	// Zeros behind the bitmaps, which somebody has put into a stored copy, would be under the hash of the new header.
	out.PrevRound = sealed.Round
	out.PrevPreparedSeal, out.PrevCommittedSeal = rules.TrimSeal(sealed.PreparedSeal), rules.TrimSeal(sealed.CommittedSeal)

	late := e.late.Load()
	if late == nil || late.Parent != parent.Hash() || late.Round != sealed.Round {
		return nil
	}
	set, err := e.ValidatorsFor(chain, parent)
	if err != nil {
		return err
	}
	out.PrevPreparedSeal = joined(set, out.PrevPreparedSeal, late.Prepared, "prepare", parent)
	out.PrevCommittedSeal = joined(set, out.PrevCommittedSeal, late.Committed, "commit", parent)
	return nil
}

// joined adds late seals to those that a stored header has over itself. Seals that cannot be joined cost a little
// diligence; failing would cost the block.
func joined(set *validators.Set, sealed, late *types.WBFTSeal, kind string, header *types.Header) *types.WBFTSeal {
	if late == nil {
		return sealed
	}
	seal, err := set.Join(sealed, late)
	if err != nil {
		log.Warn("Late seals left out", "kind", kind, "number", header.Number, "err", err)
		return sealed
	}
	return seal
}

// expectSeals takes what the next header carries of the seals over a stored block for verified, late ones included,
// whose sum was: a proposer that has the same ones makes the same sums of them.
func (e *Engine) expectSeals(chain consensus.ChainHeaderReader, parent *types.Header) error {
	sealed, err := parent.WBFTExtra()
	if err != nil {
		return err
	}
	set, err := e.ValidatorsFor(chain, parent)
	if err != nil {
		return err
	}
	if err := e.verifyOwnSeals(parent, sealed, set); err != nil {
		return err
	}
	next := new(types.WBFTExtra)
	if err := e.carrySeals(chain, parent, next); err != nil {
		return err
	}
	e.remember(parentSeals(parent, next, set))
	return nil
}

// errNoKey tells that the engine was not given a validator key.
var errNoKey = errors.New("no validator key: start the node with its node key and --mine")
