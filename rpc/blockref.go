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

// errUnknownBlock is the reference's answer to a block it does not have (spec rpc 6.1).
var errUnknownBlock = errors.New("unknown block")

// headers is the part of *core.BlockChain that reading headers needs.
type headers interface {
	Config() *gethparams.ChainConfig
	CurrentBlock() *types.Header
	CurrentSafeBlock() *types.Header
	CurrentFinalBlock() *types.Header
	GetHeaderByNumber(number uint64) *types.Header
	GetHeaderByHash(hash common.Hash) *types.Header
	GetHeader(hash common.Hash, number uint64) *types.Header
}

// validatorSource is the part of Backend that knows who seals.
type validatorSource interface {
	NodeAddress() common.Address
	ValidatorsAt(number uint64) (*validators.Set, error)
	ValidatorsForHeader(header *types.Header) (*validators.Set, error)
	ConsensusStatus() any
}

// blockNumber turns a block parameter into a number; nil means latest. pending is one above the head, for questions about
// the block being made. The number may lie above the head: the caller decides what that means.
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

// sealedNumber is blockNumber for questions about a block that exists: pending, which nobody has sealed, is the head.
func sealedNumber(chain headers, ref *gethrpc.BlockNumber) (uint64, error) {
	if orLatest(ref) == gethrpc.PendingBlockNumber {
		ref = nil
	}
	return blockNumber(chain, ref)
}

// sealedHeader returns the canonical header a block parameter names, never one above the head; pending is the head.
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

// setFor returns the set in charge of sealing header. Genesis, which nobody seals, answers the set it appoints.
func setFor(node validatorSource, header *types.Header) (*validators.Set, error) {
	if header.Number.Sign() == 0 {
		return node.ValidatorsAt(1)
	}
	return node.ValidatorsForHeader(header)
}
