// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"context"
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/consensus/finality"
)

// executedBlocks is the part of upstream's backend that finds transactions and reads their blocks.
type executedBlocks interface {
	GetCanonicalTransaction(hash common.Hash) (found bool, tx *types.Transaction, block common.Hash, number, index uint64)
	GetPoolTransaction(hash common.Hash) *types.Transaction
	TxIndexDone() bool
	HistoryPruningCutoff() uint64
	BlockByHash(ctx context.Context, hash common.Hash) (*types.Block, error)
	GetReceipts(ctx context.Context, hash common.Hash) (types.Receipts, error)
}

// receiptProofs proves transactions and their receipts.
type receiptProofs struct {
	chain   headers
	blocks  executedBlocks
	senders SenderHashes
}

// GetReceiptProof returns what proves a transaction and its receipt to those who trust a block, which is genesis by
// default (spec wbft 3.1, 7.5). The block is given by number, tag or hash. The sealed block is the child of the one
// with the transaction. Package finality verifies the answer.
func (s *receiptProofs) GetReceiptProof(ctx context.Context, hash common.Hash, trusted *gethrpc.BlockNumberOrHash) (
	*finality.Proof, error,
) {
	from, err := canonicalNumber(s.chain, trusted, gethrpc.EarliestBlockNumber)
	if err != nil {
		return nil, fmt.Errorf("trusted block: %w", err)
	}
	found, _, blockHash, number, index := s.blocks.GetCanonicalTransaction(hash)
	if !found {
		return nil, s.absence(hash)
	}
	block, err := s.blocks.BlockByHash(ctx, blockHash)
	if err != nil {
		return nil, fmt.Errorf("block %d of the transaction: %w", number, err)
	}
	if block == nil {
		return nil, fmt.Errorf("block %d of the transaction is not stored on this node: ask another one", number)
	}
	receipts, err := s.blocks.GetReceipts(ctx, blockHash)
	if err != nil {
		return nil, fmt.Errorf("receipts of block %d: %w", number, err)
	}
	if len(receipts) != len(block.Transactions()) {
		return nil, fmt.Errorf("the receipts of block %d are not stored on this node: ask another one", number)
	}
	return finality.BuildReceipt(provenChain{s.chain}, from, block, receipts, int(index)) //nolint:gosec // of a block
}

// absence returns the error for a transaction that the chain is not known to have.
func (s *receiptProofs) absence(hash common.Hash) error {
	if s.blocks.GetPoolTransaction(hash) != nil {
		return fmt.Errorf("transaction %v is pending: ask again when a block has it", hash)
	}
	mined, done, err := s.senders.Mined(hash)
	switch {
	case err != nil:
		return err
	case mined != (common.Hash{}):
		return fmt.Errorf("%v is the hash that the sender knows: ask for %v, the transaction in the chain", hash, mined)
	case s.senders.Pooled(hash) != nil:
		return fmt.Errorf("transaction %v is pending: ask again when a block has it", hash)
	case !done || !s.blocks.TxIndexDone():
		return eth.NewTxIndexingError()
	}
	if first := s.blocks.HistoryPruningCutoff(); first > 0 {
		return fmt.Errorf("unknown transaction: this node has no blocks before %d, ask one with the whole history", first)
	}
	return errUnknownTransaction
}

var errUnknownTransaction = errors.New("unknown transaction: check the hash, and ask a node that indexes all blocks")
