// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/consensus/wbft/validators"
)

// errZeroSeals is the error for genesis, the block without commit seals (spec rpc 6.5).
var errZeroSeals = errors.New("zero seals: the genesis block has none, ask for a later one")

// istanbul serves the namespace of that name, with the methods of go-stablenet (spec rpc 6.1-6.8). Methods accept the
// tags latest, earliest, pending, safe and finalized. Status accepts only latest and earliest.
type istanbul struct {
	chain headers
	node  validatorSource
}

// NodeAddress returns the address of the node key (spec rpc 6.3).
func (s *istanbul) NodeAddress() common.Address { return s.node.NodeAddress() }

// GetValidators returns the validator set of a block, in consensus order (spec rpc 6.1). The default is the head;
// pending is the block after it; earliest is the set that genesis appoints.
func (s *istanbul) GetValidators(block *gethrpc.BlockNumber) ([]common.Address, error) {
	set, err := s.validators(block)
	if err != nil {
		return nil, err
	}
	return set.Addresses(), nil
}

func (s *istanbul) validators(block *gethrpc.BlockNumber) (*validators.Set, error) {
	number, err := blockNumber(s.chain, block)
	if err != nil {
		return nil, err
	}
	head := s.chain.CurrentBlock().Number.Uint64()
	if number > head && orLatest(block) != gethrpc.PendingBlockNumber {
		return nil, errUnknownBlock
	}
	return s.node.ValidatorsAt(max(number, 1))
}

// GetValidatorsAtHash is GetValidators for a block by hash, canonical or not (spec rpc 6.2).
func (s *istanbul) GetValidatorsAtHash(hash common.Hash) ([]common.Address, error) {
	header := s.chain.GetHeaderByHash(hash)
	if header == nil {
		return nil, errUnknownBlock
	}
	set, err := setFor(s.node, header)
	if err != nil {
		return nil, err
	}
	return set.Addresses(), nil
}

// IsValidator reports whether the node address is in the result of GetValidators. For an unknown block it is not
// (spec rpc 6.4).
func (s *istanbul) IsValidator(block *gethrpc.BlockNumber) (bool, error) {
	set, err := s.validators(block)
	if errors.Is(err, errUnknownBlock) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return set.Contains(s.node.NodeAddress()), nil
}

// commitSigners is the proposer and the committers of a block. The keys have capitals as in go-stablenet (spec rpc
// 6.5).
type commitSigners struct {
	Number     uint64
	Hash       common.Hash
	Author     common.Address
	Committers []common.Address
}

// GetCommitSignersFromBlock returns the proposer of a block and the validators of its commit seal, by ascending index
// (spec rpc 6.5). The default is the head, and so is pending.
func (s *istanbul) GetCommitSignersFromBlock(block *gethrpc.BlockNumber) (*commitSigners, error) {
	header, err := sealedHeader(s.chain, block)
	if err != nil {
		return nil, err
	}
	return s.commitSigners(header)
}

// GetCommitSignersFromBlockByHash is GetCommitSignersFromBlock for a block by hash (spec rpc 6.6).
func (s *istanbul) GetCommitSignersFromBlockByHash(hash common.Hash) (*commitSigners, error) {
	header := s.chain.GetHeaderByHash(hash)
	if header == nil {
		return nil, errUnknownBlock
	}
	return s.commitSigners(header)
}

func (s *istanbul) commitSigners(header *types.Header) (*commitSigners, error) {
	extra, err := types.DecodeWBFTExtra(header.Extra)
	if err != nil {
		return nil, fmt.Errorf("extra data of block %d: %w", header.Number, err)
	}
	if extra.CommittedSeal == nil || len(extra.CommittedSeal.Signature) == 0 {
		return nil, errZeroSeals
	}
	set, err := setFor(s.node, header)
	if err != nil {
		return nil, err
	}
	committers, err := sealers(set, extra.CommittedSeal)
	if err != nil {
		return nil, fmt.Errorf("commit seal of block %d: %w", header.Number, err)
	}
	return &commitSigners{header.Number.Uint64(), header.Hash(), header.Coinbase, committers}, nil
}

// sealers returns the validators whose bits are set in a seal, by ascending index; none for an absent seal.
func sealers(set *validators.Set, seal *types.WBFTSeal) ([]common.Address, error) {
	if seal == nil {
		return nil, nil
	}
	indices, err := validators.DecodeSealers(seal.Sealers, set.Len())
	if err != nil {
		return nil, err
	}
	addresses := make([]common.Address, len(indices))
	for i, index := range indices {
		addresses[i] = set.At(index).Address
	}
	return addresses, nil
}
