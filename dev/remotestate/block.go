// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package remotestate

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/trie"
)

// maxTransactions bounds the transactions of a block: the gas limit of a header bounds them too, and can be anything.
const maxTransactions = 100_000

// Block returns the block of a proven header with its transactions, which the root in the header proves.
func (r *Reader) Block(ctx context.Context, header *types.Header) (*types.Block, error) {
	if txs := r.store.body(header); txs != nil || header.TxHash == types.EmptyTxsHash {
		return types.NewBlockWithHeader(header).WithBody(types.Body{Transactions: txs}), nil
	}
	number := header.Number.Uint64()
	var txs types.Transactions
	err := r.nodes.ask("eth_getBlockByNumber", func(p *endpoint) error {
		raw, err := p.call(ctx, "eth_getBlockByNumber", hexutil.Uint64(number), true)
		if err != nil {
			return err
		}
		var block struct {
			Transactions []json.RawMessage `json:"transactions"`
		}
		if err := decode(raw, &block, "block"); err != nil {
			return err
		}
		if len(block.Transactions) > maxTransactions {
			return lie("transactions", "%d of them, at most %d are possible", len(block.Transactions), maxTransactions)
		}
		txs = make(types.Transactions, len(block.Transactions))
		for i, raw := range block.Transactions {
			if err := decode(raw, &txs[i], fmt.Sprintf("transactions[%d]", i)); err != nil {
				return err
			}
		}
		if root := types.DeriveSha(txs, trie.NewStackTrie(nil)); root != header.TxHash {
			return lie("transactions", "they have the root %v, and %v is proven", root, header.TxHash)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return types.NewBlockWithHeader(header).WithBody(types.Body{Transactions: txs}), r.store.addBody(txs)
}

// Receipts returns the receipts of a block whose header and transactions are proven. The root in the header proves
// type, status, gas and logs of each; the other fields are computed from them and from the transactions.
func (r *Reader) Receipts(ctx context.Context, block *types.Block) (types.Receipts, error) {
	proven, err := r.receipts(ctx, block.Header())
	if err != nil {
		return nil, err
	}
	list := make(types.Receipts, len(proven))
	for i, receipt := range proven {
		list[i] = &types.Receipt{
			Type: receipt.Type, PostState: receipt.PostState, Status: receipt.Status, Bloom: receipt.Bloom,
			CumulativeGasUsed: receipt.CumulativeGasUsed, Logs: make([]*types.Log, len(receipt.Logs)),
		}
		for j, log := range receipt.Logs {
			list[i].Logs[j] = &types.Log{Address: log.Address, Topics: log.Topics, Data: log.Data}
		}
	}
	if err := list.DeriveFields(r.options.Config, block.Hash(), block.NumberU64(), block.Time(), block.BaseFee(), nil,
		block.Transactions()); err != nil {
		return nil, fmt.Errorf("receipts of block %d: %w", block.NumberU64(), err)
	}
	return list, nil
}

// receipts returns the receipts of a header as their root proves them.
func (r *Reader) receipts(ctx context.Context, header *types.Header) (types.Receipts, error) {
	if receipts := r.store.receipts(header); receipts != nil || header.ReceiptHash == types.EmptyReceiptsHash {
		return receipts, nil
	}
	number := header.Number.Uint64()
	var receipts types.Receipts
	err := r.nodes.ask("eth_getBlockReceipts", func(p *endpoint) error {
		raw, err := p.call(ctx, "eth_getBlockReceipts", hexutil.Uint64(number))
		if err != nil {
			return err
		}
		var list []json.RawMessage
		if err := decode(raw, &list, "receipts"); err != nil {
			return err
		}
		if len(list) > maxTransactions {
			return lie("receipts", "%d of them, at most %d are possible", len(list), maxTransactions)
		}
		receipts = make(types.Receipts, len(list))
		for i, raw := range list {
			if err := decode(raw, &receipts[i], fmt.Sprintf("receipts[%d]", i)); err != nil {
				return err
			}
		}
		return checkReceipts(receipts, header)
	})
	if err != nil {
		return nil, err
	}
	return receipts, r.store.addReceipts(receipts)
}

// checkReceipts checks receipts against their root, and the fields beside those under it against one another.
func checkReceipts(receipts types.Receipts, header *types.Header) error {
	var used uint64
	for i, receipt := range receipts {
		field := func(name string) string { return fmt.Sprintf("receipts[%d].%s", i, name) }
		switch {
		case receipt == nil:
			return lie(fmt.Sprintf("receipts[%d]", i), "there is none")
		case receipt.Bloom != types.CreateBloom(receipt):
			return lie(field("logsBloom"), "it is not that of the logs")
		case receipt.CumulativeGasUsed-used != receipt.GasUsed:
			return lie(field("gasUsed"), "it is %d, and %d is proven", receipt.GasUsed, receipt.CumulativeGasUsed-used)
		case receipt.TransactionIndex != uint(i):
			return lie(field("transactionIndex"), "it is %d", receipt.TransactionIndex)
		case receipt.BlockHash != header.Hash():
			return lie(field("blockHash"), "it is %v, not %v", receipt.BlockHash, header.Hash())
		case receipt.BlockNumber == nil || receipt.BlockNumber.Cmp(header.Number) != 0:
			return lie(field("blockNumber"), "it is %v, not %v", receipt.BlockNumber, header.Number)
		}
		used = receipt.CumulativeGasUsed
	}
	if root := types.DeriveSha(receipts, trie.NewStackTrie(nil)); root != header.ReceiptHash {
		return lie("receipts", "they have the root %v, and %v is proven", root, header.ReceiptHash)
	}
	return nil
}
