// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/types"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/consensus/wbft/validators"
	"gwon/core"
	"gwon/params"
)

// stateSource is the part of *core.BlockChain that opens states.
type stateSource interface {
	headers
	StateAt(root common.Hash, number *big.Int, time uint64) (*state.StateDB, error)
}

// governance adds methods to the namespace istanbul. go-stablenet has these values only in contract calls or not at
// all (spec rpc 11 no. 14).
type governance struct {
	chain stateSource
	node  validatorSource
}

// GasTip returns the governed tip of a block in wei per unit of gas. The default block is pending, whose tip a
// transaction sent now must offer.
func (s *governance) GasTip(block *gethrpc.BlockNumber) (*hexutil.Big, error) {
	if block != nil && *block != gethrpc.PendingBlockNumber {
		header, err := sealedHeader(s.chain, block)
		if err != nil {
			return nil, err
		}
		tip, err := types.WBFTGasTip(header.Extra)
		if err != nil {
			return nil, fmt.Errorf("extra data of block %d: %w", header.Number, err)
		}
		return (*hexutil.Big)(tip), nil
	}
	head, err := s.stateOf(s.chain.CurrentBlock())
	if err != nil {
		return nil, err
	}
	tip := core.GasTip(head, s.chain.Config().Anzeon.SystemContracts.GovValidator.Address)
	return (*hexutil.Big)(tip), head.Error()
}

// stateOf opens the state after a block.
func (s *governance) stateOf(header *types.Header) (*state.StateDB, error) {
	db, err := s.chain.StateAt(header.Root, header.Number, header.Time)
	if err != nil {
		return nil, fmt.Errorf("the state of block %d is not stored on this node: %w", header.Number, err)
	}
	return db, nil
}

// accountFlags are the two flags that governance sets on an account.
type accountFlags struct {
	Blacklisted bool `json:"blacklisted"`
	Authorized  bool `json:"authorized"`
}

// AccountFlags returns the flags of an account in the state after a block. The default is the head, and so is
// pending.
func (s *governance) AccountFlags(address common.Address, block *gethrpc.BlockNumber) (*accountFlags, error) {
	header, err := sealedHeader(s.chain, block)
	if err != nil {
		return nil, err
	}
	db, err := s.stateOf(header)
	if err != nil {
		return nil, err
	}
	return &accountFlags{db.IsBlacklisted(address), db.IsAuthorized(address)}, db.Error()
}

// NextProposer returns the proposer of the block after the head, in round 0 or the given one (spec wbft 3.3).
func (s *governance) NextProposer(round *hexutil.Uint64) (common.Address, error) {
	head := s.chain.CurrentBlock()
	next := head.Number.Uint64() + 1
	set, err := s.node.ValidatorsAt(next)
	if err != nil {
		return common.Address{}, err
	}
	var policy, r uint64
	if p := s.chain.Config().WBFTAt(next).ProposerPolicy; p != nil {
		policy = *p
	}
	if round != nil {
		r = uint64(*round)
	}
	return set.Proposer(policy, validators.LastProposer(head), r), nil
}

// epochStatus describes an epoch by its epoch block, the next epoch block, and the epoch info.
type epochStatus struct {
	Number hexutil.Uint64 `json:"number"`
	Next   hexutil.Uint64 `json:"next"`
	*epochInfo
}

// EpochInfo returns candidates, their diligence, and the validators with their BLS keys. They come from the newest
// epoch block at or before a block, by default the head (spec wbft 3.4). These validators seal the blocks above
// number up to next.
func (s *governance) EpochInfo(block *gethrpc.BlockNumber) (*epochStatus, error) {
	at, err := sealedHeader(s.chain, block)
	if err != nil {
		return nil, err
	}
	epoch := s.chain.Config().LastEpochBlock(at.Number.Uint64())
	header := s.chain.GetHeaderByNumber(epoch)
	if header == nil {
		return nil, fmt.Errorf("epoch block %d: %w", epoch, errUnknownBlock)
	}
	extra, err := types.DecodeWBFTExtra(header.Extra)
	if err != nil {
		return nil, fmt.Errorf("extra data of block %d: %w", epoch, err)
	}
	info, err := newEpochInfo(extra.EpochInfo)
	if err != nil {
		return nil, fmt.Errorf("epoch info of block %d: %w", epoch, err)
	}
	if info == nil {
		return nil, fmt.Errorf("block %d appoints no validators though it is an epoch block", epoch)
	}
	return &epochStatus{hexutil.Uint64(epoch), hexutil.Uint64(params.NextEpochBlock(s.chain.Config(), epoch)), info}, nil
}
