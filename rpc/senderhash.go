// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"context"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth"
)

// SenderHashes finds transactions of type 0x16 by the hash of the type-2 transaction that the sender signed.
type SenderHashes interface {
	// Mined returns the hash of the mined transaction, the zero hash if none is known. While older blocks are being
	// indexed, done is false and an unknown hash may belong to one of them.
	Mined(senderHash common.Hash) (hash common.Hash, done bool, err error)

	// Pooled returns the pooled transaction; nil if the pool has none.
	Pooled(senderHash common.Hash) *types.Transaction
}

// transactionReader is the part of upstream's service that reads transactions.
type transactionReader interface {
	GetTransactionByHash(ctx context.Context, hash common.Hash) (*eth.RPCTransaction, error)
	GetTransactionReceipt(ctx context.Context, hash common.Hash) (map[string]any, error)
}

// senderHashes serves lookups by the hash that the sender knows, with or without a fee payer.
type senderHashes struct {
	upstream transactionReader
	index    SenderHashes
	pending  func(*types.Transaction) *eth.RPCTransaction
}

func newSenderHashes(b Backend, upstream transactionReader) *senderHashes {
	return &senderHashes{upstream, b.SenderHashes(), func(tx *types.Transaction) *eth.RPCTransaction {
		return eth.NewRPCPendingTransaction(tx, b.APIBackend().CurrentHeader(), b.APIBackend().ChainConfig())
	}}
}

// GetTransactionBySenderHash returns the transaction that contains the type-2 transaction with this hash. The result
// is fee-delegated, or the type-2 transaction itself without a fee payer; null if unknown. While old blocks are
// indexed, an unknown hash is an error, as in eth_getTransactionByHash.
func (s *senderHashes) GetTransactionBySenderHash(ctx context.Context, hash common.Hash) (*eth.RPCTransaction, error) {
	mined, done, err := s.index.Mined(hash)
	if err != nil {
		return nil, err
	}
	if mined != (common.Hash{}) {
		return s.upstream.GetTransactionByHash(ctx, mined)
	}
	if tx := s.index.Pooled(hash); tx != nil {
		return s.pending(tx), nil
	}
	tx, err := s.upstream.GetTransactionByHash(ctx, hash)
	switch {
	case err != nil:
		return nil, err
	case tx != nil && tx.Type != types.FeeDelegateTxType:
		return tx, nil
	case tx == nil && !done:
		return nil, eth.NewTxIndexingError()
	}
	return nil, nil
}

// GetTransactionReceipt returns the result of upstream's method, with a faster encoding of logs: a transaction can have
// 50,000 of them.
func (s *senderHashes) GetTransactionReceipt(ctx context.Context, hash common.Hash) (map[string]any, error) {
	receipt, err := s.upstream.GetTransactionReceipt(ctx, hash)
	if logs, ok := receipt["logs"].([]*types.Log); ok {
		receipt["logs"] = logList(logs)
	}
	return receipt, err
}

// GetTransactionReceiptBySenderHash returns the receipt of the transaction that GetTransactionBySenderHash returns.
// It is null until the transaction is mined.
func (s *senderHashes) GetTransactionReceiptBySenderHash(ctx context.Context,
	hash common.Hash) (map[string]any, error) {
	mined, done, err := s.index.Mined(hash)
	if err != nil {
		return nil, err
	}
	if mined != (common.Hash{}) {
		return s.GetTransactionReceipt(ctx, mined)
	}
	receipt, err := s.GetTransactionReceipt(ctx, hash)
	switch {
	case err != nil:
		return nil, err
	case receipt != nil && receipt["type"] != hexutil.Uint(types.FeeDelegateTxType):
		return receipt, nil
	case receipt == nil && !done:
		return nil, eth.NewTxIndexingError()
	}
	return nil, nil
}
