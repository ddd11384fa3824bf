// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"fmt"

	"github.com/ethereum/go-ethereum/core/types"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/consensus/finality"
)

// provenChain is the canonical chain as package finality sees it.
type provenChain struct{ headers }

func (c provenChain) Header(number uint64) *types.Header { return c.GetHeaderByNumber(number) }

func (c provenChain) LastEpochBlock(number uint64) uint64 { return c.Config().LastEpochBlock(number) }

// GetFinalityProof returns what proves a block final to those who trust another one, which is genesis by default (spec
// wbft 3.1, 7.5). Both are given by number, tag or hash; pending is the head. Package finality verifies the answer.
func (s *istanbul) GetFinalityProof(block, trusted *gethrpc.BlockNumberOrHash) (*finality.Proof, error) {
	number, err := canonicalNumber(s.chain, block, gethrpc.LatestBlockNumber)
	if err != nil {
		return nil, err
	}
	from, err := canonicalNumber(s.chain, trusted, gethrpc.EarliestBlockNumber)
	if err != nil {
		return nil, fmt.Errorf("trusted block: %w", err)
	}
	return finality.Build(provenChain{s.chain}, from, number)
}

// canonicalNumber returns the number of a canonical block that is given by number, tag or hash. A missing reference
// means other.
func canonicalNumber(chain headers, ref *gethrpc.BlockNumberOrHash, other gethrpc.BlockNumber) (uint64, error) {
	if ref == nil {
		ref = &gethrpc.BlockNumberOrHash{BlockNumber: &other}
	}
	if hash, ok := ref.Hash(); ok {
		header := chain.GetHeaderByHash(hash)
		if header == nil {
			return 0, errUnknownBlock
		}
		if canonical := chain.GetHeaderByNumber(header.Number.Uint64()); canonical == nil || canonical.Hash() != hash {
			return 0, fmt.Errorf("block %v is not of the canonical chain", hash)
		}
		return header.Number.Uint64(), nil
	}
	number, ok := ref.Number()
	if !ok {
		return 0, errUnknownBlock
	}
	header, err := sealedHeader(chain, &number)
	if err != nil {
		return 0, err
	}
	return header.Number.Uint64(), nil
}
