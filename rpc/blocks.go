// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"context"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	gethparams "github.com/ethereum/go-ethereum/params"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/core/rules"
)

// blockReader is the part of upstream's block service that this package extends.
type blockReader interface {
	GetBlockByNumber(ctx context.Context, number gethrpc.BlockNumber, fullTx bool) (map[string]any, error)
	GetBlockByHash(ctx context.Context, hash common.Hash, fullTx bool) (map[string]any, error)
	GetHeaderByNumber(ctx context.Context, number gethrpc.BlockNumber) (map[string]any, error)
	GetHeaderByHash(ctx context.Context, hash common.Hash) map[string]any
	GetBlockReceipts(ctx context.Context, block gethrpc.BlockNumberOrHash) ([]map[string]any, error)
}

// canonical is the part of *core.BlockChain that identifies canonical blocks.
type canonical interface {
	Genesis() *types.Block
	GetHeaderByHash(hash common.Hash) *types.Header
	GetCanonicalHash(number uint64) common.Hash
}

// blocks serves the eth methods about whole blocks that differ from upstream's (spec rpc 6.12, 7).
type blocks struct {
	upstream blockReader
	chain    canonical
	receipts receiptReader
	stored   storedReceipts
}

// storedReceipts is the part of *core.BlockChain that returns the reason why receipts cannot be read.
type storedReceipts interface {
	StoredReceipts(header *types.Header) (*gethcore.StoredReceipts, error)
}

// receiptReader is the part of *eth.EthAPIBackend that reads blocks and their receipts.
type receiptReader interface {
	ChainConfig() *gethparams.ChainConfig
	BlockByNumberOrHash(ctx context.Context, block gethrpc.BlockNumberOrHash) (*types.Block, error)
	GetReceipts(ctx context.Context, hash common.Hash) (types.Receipts, error)
}

// GetBlockByNumber adds totalDifficulty to upstream's result. It is null in the pending block.
func (s *blocks) GetBlockByNumber(ctx context.Context, number gethrpc.BlockNumber,
	fullTx bool) (map[string]any, error) {
	block, err := s.upstream.GetBlockByNumber(ctx, number, fullTx)
	return s.addTotalDifficulty(block, number == gethrpc.PendingBlockNumber), err
}

// GetBlockByHash adds totalDifficulty to upstream's result.
func (s *blocks) GetBlockByHash(ctx context.Context, hash common.Hash, fullTx bool) (map[string]any, error) {
	block, err := s.upstream.GetBlockByHash(ctx, hash, fullTx)
	return s.addTotalDifficulty(block, false), err
}

// GetHeaderByNumber adds totalDifficulty to upstream's result.
func (s *blocks) GetHeaderByNumber(ctx context.Context, number gethrpc.BlockNumber) (map[string]any, error) {
	header, err := s.upstream.GetHeaderByNumber(ctx, number)
	return s.addTotalDifficulty(header, false), err
}

// GetHeaderByHash adds totalDifficulty to upstream's result.
func (s *blocks) GetHeaderByHash(ctx context.Context, hash common.Hash) map[string]any {
	return s.addTotalDifficulty(s.upstream.GetHeaderByHash(ctx, hash), false)
}

// addTotalDifficulty sets the sum of difficulties up to the block. Every block after genesis has difficulty 1, so the
// sum follows from the number (spec rpc 7). A nil block stays nil.
func (s *blocks) addTotalDifficulty(block map[string]any, pending bool) map[string]any {
	if block == nil {
		return nil
	}
	block["totalDifficulty"] = (*hexutil.Big)(nil)
	if number, ok := block["number"].(*hexutil.Big); ok && !pending {
		block["totalDifficulty"] = (*hexutil.Big)(rules.TotalDifficulty(s.chain.Genesis().Difficulty(),
			number.ToInt().Uint64()))
	}
	return block
}

// GetBlockReceipts returns the result of upstream's method, with a faster encoding. Blob transactions, which have
// more fields, do not exist here.
func (s *blocks) GetBlockReceipts(ctx context.Context, which gethrpc.BlockNumberOrHash) (any, error) {
	if number, ok := which.Number(); ok && number == gethrpc.PendingBlockNumber {
		return s.upstream.GetBlockReceipts(ctx, which)
	}
	block, err := s.receipts.BlockByNumberOrHash(ctx, which)
	if block == nil || err != nil {
		return nil, err
	}
	receipts, err := s.receipts.GetReceipts(ctx, block.Hash())
	if err != nil {
		return nil, err
	}
	if txs := block.Transactions(); len(txs) != len(receipts) {
		if _, err := s.stored.StoredReceipts(block.Header()); err != nil {
			return nil, err // the error distinguishes missing from damaged
		}
		return nil, fmt.Errorf("receipts length mismatch: %d vs %d", len(txs), len(receipts))
	}
	signer := types.MakeSigner(s.receipts.ChainConfig(), block.Number(), block.Time())
	return &receiptList{block.Hash(), block.NumberU64(), signer, block.Transactions(), receipts}, nil
}

// GetReceiptsByHash returns the receipts of a canonical block; null for any other hash (spec rpc 6.12).
func (s *blocks) GetReceiptsByHash(ctx context.Context, hash common.Hash) (any, error) {
	header := s.chain.GetHeaderByHash(hash)
	if header == nil || s.chain.GetCanonicalHash(header.Number.Uint64()) != hash {
		return nil, nil
	}
	return s.GetBlockReceipts(ctx, gethrpc.BlockNumberOrHashWithHash(hash, false))
}
