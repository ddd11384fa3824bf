// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package explore

import (
	"context"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/eth/filters"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/core/rules"
)

// otterscan serves the namespace ots.
type otterscan struct {
	*node
	logs   *filters.FilterSystem
	reader *eth.TransactionAPI
}

// GetApiLevel implements ots_getApiLevel.
func (o *otterscan) GetApiLevel() int { return 8 } //nolint:revive // the name follows from the method's

// HasCode implements ots_hasCode. An account that delegates to a contract (EIP-7702) has code.
func (o *otterscan) HasCode(ctx context.Context, address common.Address, at Block) (bool, error) {
	block, err := o.block(ctx, at.BlockNumberOrHash)
	if err != nil {
		return false, err
	}
	if block == nil {
		return false, fmt.Errorf("block %s not found", at.String())
	}
	db, err := o.stateAt(ctx, block.NumberU64())
	if err != nil {
		return false, err
	}
	return db.GetCodeSize(address) > 0, db.Error()
}

// blockDetails is the result of ots_getBlockDetails.
type blockDetails struct {
	Block     map[string]any `json:"block"`
	Issuance  issuance       `json:"issuance"`
	TotalFees *hexutil.Big   `json:"totalFees"`
}

// issuance has the rewards of a block. This chain issues nothing with blocks.
type issuance struct {
	BlockReward hexutil.Uint64 `json:"blockReward"`
	UncleReward hexutil.Uint64 `json:"uncleReward"`
	Issuance    hexutil.Uint64 `json:"issuance"`
}

// GetBlockDetails implements ots_getBlockDetails; null for an unknown block.
func (o *otterscan) GetBlockDetails(ctx context.Context, at Block) (*blockDetails, error) {
	block, err := o.block(ctx, at.BlockNumberOrHash)
	if err != nil || block == nil {
		return nil, err
	}
	return o.details(ctx, block)
}

// GetBlockDetailsByHash implements ots_getBlockDetailsByHash; null for an unknown block.
func (o *otterscan) GetBlockDetailsByHash(ctx context.Context, hash common.Hash) (*blockDetails, error) {
	return o.GetBlockDetails(ctx, Block{gethrpc.BlockNumberOrHashWithHash(hash, false)})
}

func (o *otterscan) details(ctx context.Context, block *types.Block) (*blockDetails, error) {
	receipts, err := o.receipts(ctx, block)
	if err != nil {
		return nil, err
	}
	fees := new(hexutil.Big)
	for _, receipt := range receipts {
		fee := new(hexutil.Big).ToInt().SetUint64(receipt.GasUsed)
		fees.ToInt().Add(fees.ToInt(), fee.Mul(fee, receipt.EffectiveGasPrice))
	}
	return &blockDetails{Block: o.slimBlock(block), TotalFees: fees}, nil
}

// slimBlock returns a block as eth_getBlockByNumber does, without its transactions and the bloom, with their number.
func (o *otterscan) slimBlock(block *types.Block) map[string]any {
	fields := eth.RPCMarshalBlock(block, false, false, o.backend.ChainConfig())
	fields["totalDifficulty"] = o.totalDifficulty(block.Header())
	fields["transactionCount"] = len(block.Transactions())
	fields["logsBloom"] = nil
	return fields
}

// totalDifficulty returns the sum of difficulties up to a block (spec rpc 7).
func (n *node) totalDifficulty(header *types.Header) *hexutil.Big {
	genesis := n.backend.BlockChain().Genesis().Difficulty()
	return (*hexutil.Big)(rules.TotalDifficulty(genesis, header.Number.Uint64()))
}

// blockTransactions is the result of ots_getBlockTransactions.
type blockTransactions struct {
	FullBlock map[string]any   `json:"fullblock"`
	Receipts  []map[string]any `json:"receipts"`
}

// GetBlockTransactions implements ots_getBlockTransactions: a page of the transactions of a block, null for an unknown
// block. Page 0 has the last ones of the block. Inputs are cut to the selector, receipts have no logs.
func (o *otterscan) GetBlockTransactions(ctx context.Context, at Block, page, size Number) (*blockTransactions, error) {
	if err := o.checkPage(size); err != nil {
		return nil, err
	}
	block, err := o.block(ctx, at.BlockNumberOrHash)
	if err != nil || block == nil {
		return nil, err
	}
	count := Number(len(block.Transactions()))
	end := count - min(count, min(page, count)*size)
	begin := end - min(end, size)
	w, done := o.bounds.begin(ctx, 0)
	defer done()
	txs, receipts, err := o.rows(w, block, int(begin), int(end)) // #nosec G115 -- at most count
	if err != nil {
		return nil, err
	}
	for i := range txs {
		txs[i].Input = txs[i].Input[:min(4, len(txs[i].Input))]
		receipts[i]["logs"], receipts[i]["logsBloom"] = nil, nil
	}
	full := o.slimBlock(block)
	full["transactions"] = txs
	return &blockTransactions{full, receipts}, nil
}

// checkPage refuses a size of pages that is out of bounds.
func (o *otterscan) checkPage(size Number) error {
	if size == 0 || uint64(size) > uint64(o.bounds.Page) { // #nosec G115 -- a positive constant
		return refuse(gethrpc.CodeParams, "page", "the page has %d transactions: give 1 to %d", size, o.bounds.Page)
	}
	return nil
}

// rows returns the transactions begin to end-1 of a block and their receipts, which count as bytes of the answer.
func (o *otterscan) rows(w *work, block *types.Block, begin, end int) ([]*eth.RPCTransaction, []map[string]any, error) {
	all, err := o.receipts(w, block)
	if err != nil {
		return nil, nil, err
	}
	txs, receipts := []*eth.RPCTransaction{}, []map[string]any{}
	signer := o.signer(block)
	for i := begin; i < end; i++ {
		tx, receipt := block.Transactions()[i], all[i]
		size := 4*frameSize + 2*int(tx.Size())
		for _, l := range receipt.Logs {
			size += 2*frameSize + 2*len(l.Data)
		}
		if err := w.spend(size); err != nil {
			return nil, nil, err
		}
		row, err := o.reader.GetTransactionByBlockHashAndIndex(w, block.Hash(), hexutil.Uint(i)) // #nosec G115 -- an index
		if err != nil {
			return nil, nil, err
		}
		txs = append(txs, row)
		receipts = append(receipts, eth.MarshalReceipt(receipt, block.Hash(), block.NumberU64(), signer, tx, i))
	}
	return txs, receipts, nil
}

// receipts returns the receipts of a block, one for each transaction.
func (n *node) receipts(ctx context.Context, block *types.Block) (types.Receipts, error) {
	receipts, err := n.backend.GetReceipts(ctx, block.Hash())
	if err == nil && len(receipts) != len(block.Transactions()) {
		_, err = n.backend.BlockChain().StoredReceipts(block.Header()) // tells why
		if err == nil {
			err = refuse(gethrpc.CodeParams, "params", "the receipts of block %d are not stored here", block.NumberU64())
		}
	}
	return receipts, err
}

// erigon serves the one method by which Otterscan recognizes a node.
type erigon struct{ *node }

// GetHeaderByNumber implements erigon_getHeaderByNumber; null for an unknown block.
func (e *erigon) GetHeaderByNumber(ctx context.Context, at Block) (map[string]any, error) {
	header, err := e.backend.HeaderByNumberOrHash(ctx, at.BlockNumberOrHash)
	if err != nil || header == nil {
		return nil, err
	}
	fields := eth.RPCMarshalHeader(header)
	fields["totalDifficulty"] = e.totalDifficulty(header)
	return fields, nil
}
