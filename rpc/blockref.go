// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"errors"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	gethparams "github.com/ethereum/go-ethereum/params"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/consensus/wbft/validators"
)

// errUnknownBlock has go-stablenet's text for a missing block (spec rpc 6.1).
var errUnknownBlock = errors.New("unknown block")

// headers is the part of *core.BlockChain that reads headers.
type headers interface {
	Config() *gethparams.ChainConfig
	CurrentBlock() *types.Header
	CurrentSafeBlock() *types.Header
	CurrentFinalBlock() *types.Header
	GetHeaderByNumber(number uint64) *types.Header
	GetHeaderByHash(hash common.Hash) *types.Header
	GetHeader(hash common.Hash, number uint64) *types.Header
}

// validatorSource is the part of Backend that returns validator sets.
type validatorSource interface {
	NodeAddress() common.Address
	ValidatorsAt(number uint64) (*validators.Set, error)
	ValidatorsForHeader(header *types.Header) (*validators.Set, error)
	ConsensusStatus() any
}

// blockNumber resolves a block parameter to a number; nil means latest, and pending is the head + 1. The number may
// exceed the head; the caller decides about that.
func blockNumber(chain headers, ref *gethrpc.BlockNumber) (uint64, error) {
	var header *types.Header
	switch tag := orLatest(ref); tag {
	case gethrpc.LatestBlockNumber:
		header = chain.CurrentBlock()
	case gethrpc.PendingBlockNumber:
		return chain.CurrentBlock().Number.Uint64() + 1, nil
	case gethrpc.SafeBlockNumber:
		header = chain.CurrentSafeBlock()
	case gethrpc.FinalizedBlockNumber:
		header = chain.CurrentFinalBlock()
	case gethrpc.EarliestBlockNumber:
		return 0, nil
	default:
		if tag < 0 {
			return 0, errUnknownBlock
		}
		return uint64(tag), nil
	}
	if header == nil {
		return 0, errUnknownBlock
	}
	return header.Number.Uint64(), nil
}

// sealedNumber resolves a block parameter for existing blocks: pending is the head.
func sealedNumber(chain headers, ref *gethrpc.BlockNumber) (uint64, error) {
	if orLatest(ref) == gethrpc.PendingBlockNumber {
		ref = nil
	}
	return blockNumber(chain, ref)
}

// sealedHeader returns the canonical header of a block parameter. The header is never above the head; pending is the
// head.
func sealedHeader(chain headers, ref *gethrpc.BlockNumber) (*types.Header, error) {
	number, err := sealedNumber(chain, ref)
	if err != nil {
		return nil, err
	}
	if number > chain.CurrentBlock().Number.Uint64() {
		return nil, errUnknownBlock
	}
	if header := chain.GetHeaderByNumber(number); header != nil {
		return header, nil
	}
	return nil, errUnknownBlock
}

func orLatest(ref *gethrpc.BlockNumber) gethrpc.BlockNumber {
	if ref == nil {
		return gethrpc.LatestBlockNumber
	}
	return *ref
}

// setFor returns the validator set of header. For genesis it returns the set that genesis appoints.
func setFor(node validatorSource, header *types.Header) (*validators.Set, error) {
	if header.Number.Sign() == 0 {
		return node.ValidatorsAt(1)
	}
	return node.ValidatorsForHeader(header)
}
