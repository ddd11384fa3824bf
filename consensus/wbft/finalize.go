// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus"
	"github.com/ethereum/go-ethereum/core/tracing"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/holiman/uint256"

	"gwon/consensus/wbft/nextepoch"
	"gwon/core"
	"gwon/core/rules"
)

// errMissingCode means that a block upgrades a system contract to code that this node does not have.
var errMissingCode = core.ErrMissingCode

// errNoBaseFee means that a block with transactions has no base fee to distribute.
var errNoBaseFee = errors.New("block has no base fee")

// Start checks, on the state that a block's first transaction will see, what depends on the parent state: the coinbase
// is not blacklisted and the header's gas tip is the governed one (spec wbft 7.1 rows 14 and 22, 6.4 step 4). It only
// reads.
func (e *Engine) Start(header *types.Header, parent vm.StateDB) error {
	if parent.(vm.AccountState).IsBlacklisted(header.Coinbase) {
		return fmt.Errorf("blacklisted signer %v", header.Coinbase)
	}
	tip, err := types.WBFTGasTip(header.Extra)
	if err != nil {
		return fmt.Errorf("%w: %w", errExtraFormat, err)
	}
	return e.verifyGasTip(tip, parent)
}

// Finish applies the end of a block and checks that its epoch info is the computed one (spec wbft 6.4).
func (e *Engine) Finish(
	chain consensus.ChainHeaderReader,
	header *types.Header,
	state vm.StateDB,
	_ *types.Body,
) error {
	if err := e.settle(chain, header, state); err != nil {
		return err
	}
	decoded, err := header.WBFTExtra()
	if err != nil {
		return fmt.Errorf("%w: %w", errExtraFormat, err)
	}
	want, err := e.epochInfoAt(chain, header, state)
	if err != nil {
		return err
	}
	if !sameEpochInfo(decoded.EpochInfo, want) {
		return fmt.Errorf("invalid epoch info in block %d", header.Number)
	}
	return nil
}

// Assemble applies the end of a block that is being built and writes its epoch info into the header (spec wbft 6.4).
// The pending block of a node without part in the sealing gets none.
func (e *Engine) Assemble(
	chain consensus.ChainHeaderReader,
	header *types.Header,
	state vm.StateDB,
	_ *types.Body,
) error {
	if err := e.settle(chain, header, state); err != nil {
		return err
	}
	info, err := e.epochInfoAt(chain, header, state)
	if err != nil || info == nil {
		return err
	}
	decoded, err := header.WBFTExtra()
	if err != nil {
		return fmt.Errorf("%w: %w", errExtraFormat, err)
	}
	decoded.EpochInfo = info
	header.Extra = decoded.Encode()
	return nil
}

// Finalize applies the end of a block where no error can be told: pending and simulated blocks, replays. What cannot be
// computed there, because the simulated header has no ancestors, is left out; the header is not written.
func (e *Engine) Finalize(chain consensus.ChainHeaderReader, header *types.Header, state vm.StateDB, _ *types.Body) {
	_ = e.settle(chain, header, state)
}

// settle applies system-contract upgrades and distributes the base fee (spec chain 8, wbft 6.4 steps 1 and 2).
func (e *Engine) settle(chain consensus.ChainHeaderReader, header *types.Header, state vm.StateDB) error {
	number := header.Number.Uint64()
	if number == 0 {
		return nil
	}
	upgrades, err := core.CodeUpgrades(e.config, number)
	if err != nil {
		return err
	}
	for _, u := range upgrades {
		code, ok := e.codes(u.CodeHash)
		if !ok {
			return fmt.Errorf("%w: block %d upgrades %s to %s, with hash %v: supply it with gwon contracts import",
				errMissingCode, number, u.Contract, u.Version, u.CodeHash)
		}
		state.SetCode(u.Address, code, tracing.CodeChangeUnspecified)
	}
	if header.GasUsed == 0 {
		return nil
	}
	if header.BaseFee == nil {
		return errNoBaseFee
	}
	epoch, err := e.epochBefore(ancestry{chain: chain}, header.ParentHash, number)
	if err != nil {
		return err
	}
	info, err := epochInfo(epoch)
	if err != nil {
		return err
	}
	total := new(big.Int).Mul(header.BaseFee, new(big.Int).SetUint64(header.GasUsed))
	shares, dust, err := rules.DistributeBaseFee(total, info)
	if err != nil {
		return fmt.Errorf("base fee distribution: %w", err)
	}
	credit := func(to common.Address, amount *big.Int) error {
		if amount.Sign() == 0 {
			return nil
		}
		value, overflow := uint256.FromBig(amount)
		if overflow {
			return errors.New("base fee distribution: share exceeds 256 bits")
		}
		state.AddBalance(to, value, tracing.BalanceIncreaseRewardMineBlock)
		return nil
	}
	for _, s := range shares {
		if err := credit(s.Address, s.Amount); err != nil {
			return err
		}
	}
	return credit(header.Coinbase, dust)
}

// epochInfoAt computes the epoch info that an epoch block must carry; nil for any other block (spec wbft 3.5). state is
// the state of the block after everything else.
func (e *Engine) epochInfoAt(
	chain consensus.ChainHeaderReader,
	header *types.Header,
	state vm.StateDB,
) (*types.EpochInfo, error) {
	number := header.Number.Uint64()
	if e.config.LastEpochBlock(number) != number {
		return nil, nil
	}
	candidates, err := e.nextCandidates(number, state)
	if err != nil {
		return nil, fmt.Errorf("epoch info of block %d: %w", number, err)
	}
	return e.NextEpochInfo(chain, header, candidates)
}

// NextEpochInfo computes the epoch info of an epoch block from its header and its list of candidates (spec wbft 3.5).
func (e *Engine) NextEpochInfo(
	chain consensus.ChainHeaderReader,
	header *types.Header,
	candidates []nextepoch.Candidate,
) (*types.EpochInfo, error) {
	in, err := e.epochInput(chain, header)
	if err != nil {
		return nil, fmt.Errorf("epoch info of block %d: %w", header.Number, err)
	}
	in.Candidates = candidates
	info, err := nextepoch.Compute(in)
	if err != nil {
		return nil, fmt.Errorf("epoch info of block %d: %w", header.Number, err)
	}
	return info, nil
}

// sameEpochInfo compares field by field, in order (spec wbft 3.4).
func sameEpochInfo(a, b *types.EpochInfo) bool {
	if a == nil || b == nil {
		return a == b
	}
	return slices.Equal(a.Candidates, b.Candidates) && slices.Equal(a.Validators, b.Validators) &&
		slices.EqualFunc(a.BLSPublicKeys, b.BLSPublicKeys, bytes.Equal)
}
