// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package remotestate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/trie"

	"gwon/consensus/finality"
	"gwon/internal/dial"
	"gwon/params"
)

// Block returns the block of a proven header with its transactions, which the root in the header proves.
func (r *Reader) Block(ctx context.Context, header *types.Header) (*types.Block, error) {
	return r.block(ctx, r.nodes, header)
}

// block is Block with the answers of some endpoints.
func (r *Reader) block(ctx context.Context, from asker, header *types.Header) (*types.Block, error) {
	txs, found := get[types.Transactions](r.store, kindBody, header.TxHash)
	if !found && header.TxHash != types.EmptyTxsHash {
		err := from.ask("eth_getBlockByNumber", func(p *endpoint) (err error) {
			txs, err = r.transactionsFrom(ctx, p, header)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return types.NewBlockWithHeader(header).WithBody(types.Body{Transactions: txs}), nil
}

// transactionsFrom returns the transactions of a proven header with the answer of an endpoint.
func (r *Reader) transactionsFrom(ctx context.Context, p *endpoint, header *types.Header) (types.Transactions, error) {
	raw, err := p.call(dial.WithMost(ctx, dial.AboutGas(header.GasUsed)), "eth_getBlockByNumber",
		hexutil.Uint64(header.Number.Uint64()), true)
	if err != nil {
		return nil, err
	}
	if shown, err := readHeader(raw, header.Number.Uint64()); err != nil {
		return nil, err
	} else if shown.Hash() != header.Hash() {
		return nil, lie("hash", "it is %v, and %v is proven", shown.Hash(), header.Hash())
	}
	var answer struct {
		Transactions []json.RawMessage `json:"transactions"`
	}
	if err := decode(raw, &answer, "block"); err != nil {
		return nil, err
	}
	if len(answer.Transactions) > params.MaxTransactions {
		return nil, lie("transactions", "%d of them, at most %d are possible", len(answer.Transactions),
			params.MaxTransactions)
	}
	txs := make(types.Transactions, len(answer.Transactions))
	for i, raw := range answer.Transactions {
		if err := decode(raw, &txs[i], fmt.Sprintf("transactions[%d]", i)); err != nil {
			return nil, err
		}
	}
	block := types.NewBlockWithHeader(header).WithBody(types.Body{Transactions: txs})
	for i, raw := range answer.Transactions {
		if err := r.checkPlace(raw, fmt.Sprintf("transactions[%d]", i), block, uint64(i)); err != nil {
			return nil, err
		}
	}
	if root := types.DeriveSha(txs, trie.NewStackTrie(nil)); root != header.TxHash {
		return nil, lie("transactions", "they have the root %v, and %v is proven", root, header.TxHash)
	}
	return txs, add(r.store, kindBody, txs)
}

// Receipts returns the receipts of a block whose header and transactions are proven. The root in the header proves
// type, status, gas and logs of each; the other fields are computed from them and from the transactions.
func (r *Reader) Receipts(ctx context.Context, block *types.Block) (types.Receipts, error) {
	var list types.Receipts
	if content, found := get[[]byte](r.store, kindReceipts, block.ReceiptHash()); found {
		if err := rlp.DecodeBytes(content, &list); err != nil {
			return nil, fmt.Errorf("receipts of block %d in the store: %w", block.NumberU64(), err)
		}
		return r.derive(list, block)
	} else if block.ReceiptHash() == types.EmptyReceiptsHash {
		return r.derive(nil, block)
	}
	// A caller that cannot wait finds them in the store when it asks again.
	reading := r.reading.DoChan(block.Hash().Hex(), func() (any, error) {
		var list types.Receipts
		err := r.nodes.ask("eth_getBlockReceipts", func(p *endpoint) (err error) {
			list, err = r.receiptsFrom(r.open, p, block)
			return err
		})
		if err != nil {
			return nil, err
		}
		return list, add(r.store, kindReceipts, list)
	})
	select {
	case read := <-reading:
		list, _ = read.Val.(types.Receipts)
		return list, read.Err
	case <-ctx.Done():
		return nil, fmt.Errorf("the receipts of block %d are being read: ask again: %w", block.NumberU64(), ctx.Err())
	}
}

// receiptsFrom returns the receipts of a proven block with the answer of an endpoint. None is that of an honest one
// that is behind, and a lie of one that has the block.
func (r *Reader) receiptsFrom(ctx context.Context, p *endpoint, block *types.Block) (types.Receipts, error) {
	list, err := r.shownReceipts(ctx, p, block)
	if !errors.Is(err, ErrNoBlock) {
		return list, err
	}
	if _, _, err := p.headers(ctx, numbersOf(block.NumberU64(), block.NumberU64())); err != nil {
		return nil, err
	}
	if list, err = r.shownReceipts(ctx, p, block); errors.Is(err, ErrNoBlock) {
		return nil, lie("receipts", "there are 0 of %d transactions", len(block.Transactions()))
	}
	return list, err
}

// shownReceipts asks for receipts, and checks the answer log by log while it comes: that of a full block has 100 MB in
// JSON.
func (r *Reader) shownReceipts(ctx context.Context, p *endpoint, block *types.Block) (types.Receipts, error) {
	ctx, cancel := context.WithTimeout(ctx, dial.TimeFor(p.patience, block.GasUsed()))
	defer cancel()
	txs := block.Transactions()
	logs, count := make([][]*types.Log, len(txs)), uint(0)
	objects, err := p.client.Receipts(ctx, block.NumberU64(), block.GasUsed(), func(at int, l *types.Log) error {
		if at >= len(txs) {
			return lie("receipts", "there are more than %d transactions", len(txs))
		}
		place := types.Log{BlockNumber: block.NumberU64(), BlockHash: block.Hash(), BlockTimestamp: block.Time(),
			TxHash: txs[at].Hash(), TxIndex: uint(at), Index: count} //nolint:gosec // an index
		if name := differentField(l, &place); name != "" {
			return lie(fmt.Sprintf("receipts[%d].logs[%d].%s", at, len(logs[at]), name),
				"it is not that of log %d of block %d", count, block.NumberU64())
		}
		logs[at] = append(logs[at], l)
		count++
		return nil
	})
	if err != nil {
		return nil, err
	}
	switch {
	case len(objects) == 0 && len(txs) > 0: // null of a node that is behind
		return nil, fmt.Errorf("%w %d", ErrNoBlock, block.NumberU64())
	case len(objects) != len(txs):
		return nil, lie("receipts", "there are %d of %d transactions", len(objects), len(txs))
	}
	list := make(types.Receipts, len(objects))
	for i, raw := range objects {
		if err := decode(raw, &list[i], fmt.Sprintf("receipts[%d]", i)); err != nil {
			return nil, err
		}
		list[i].Logs = logs[i]
	}
	return r.proveReceipts(list, objects, block)
}

// proveReceipts completes receipts and checks them against their root, after each field of their objects against what
// follows from them. The price that a transaction has paid is computed here and not read.
func (r *Reader) proveReceipts(list types.Receipts, objects []json.RawMessage, block *types.Block) (types.Receipts,
	error,
) {
	for i, receipt := range list {
		if receipt == nil {
			return nil, lie(fmt.Sprintf("receipts[%d]", i), "there is none")
		}
		receipt.Bloom = types.CreateBloom(receipt)
	}
	list, err := r.derive(list, block)
	if err != nil {
		return nil, err
	}
	for i, receipt := range list {
		place, err := r.placeOf(block, uint64(i))
		if err != nil {
			return nil, err
		}
		plain := *receipt
		plain.Logs = nil // can be 100 MB, and are under the root
		content, err := json.Marshal(plain)
		if err == nil {
			err = json.Unmarshal(content, &place)
		}
		if err != nil {
			return nil, fmt.Errorf("encode receipt %d: %w", i, err)
		}
		delete(place, "logs")
		delete(place, "effectiveGasPrice")
		place["to"], place["feePayer"] = block.Transactions()[i].To(), block.Transactions()[i].FeePayer()
		if err := compare(objects[i], fmt.Sprintf("receipts[%d]", i), place); err != nil {
			return nil, err
		}
	}
	if root := types.DeriveSha(list, trie.NewStackTrie(nil)); root != block.ReceiptHash() {
		return nil, lie("receipts", "they have the root %v, and %v is proven", root, block.ReceiptHash())
	}
	return list, nil
}

// ReceiptProof makes a proof of a transaction of a block and of its receipt, for those who trust another block, and
// verifies it. The child of the block has to be there. The error wraps finality.ErrSize for a proof above the bounds.
func (r *Reader) ReceiptProof(ctx context.Context, number uint64, hash common.Hash, trusted finality.Trusted) (
	*finality.Proof, error,
) {
	trusted.ChainID = r.options.Config.ChainID
	if trusted.Number > number+1 {
		return nil, fmt.Errorf("%w: block %d, trusted block %d", finality.ErrOlder, number, trusted.Number)
	}
	header, err := r.Header(ctx, number)
	if err != nil {
		return nil, err
	}
	block, err := r.Block(ctx, header)
	if err != nil {
		return nil, err
	}
	receipts, err := r.Receipts(ctx, block)
	if err != nil {
		return nil, err
	}
	index := slices.IndexFunc(block.Transactions(), func(tx *types.Transaction) bool { return tx.Hash() == hash })
	var proof *finality.Proof
	err = r.nodes.ask("istanbul_getFinalityProof", func(p *endpoint) error {
		made, err := r.proofFrom(ctx, p, trusted, number+1)
		if err != nil {
			return err
		}
		if err := made.Include(block, receipts, index); errors.Is(err, finality.ErrSize) {
			return err
		} else if err != nil {
			return lie("proof", "%v", err)
		}
		if _, err := finality.VerifyReceipt(made, trusted); err != nil {
			return lie("proof", "%v", err)
		}
		proof = made
		return nil
	})
	return proof, err
}

// derive returns receipts with the fields that follow from the block. What proves them is taken from the given ones,
// whose logs are completed.
func (r *Reader) derive(proven types.Receipts, block *types.Block) (types.Receipts, error) {
	list := make(types.Receipts, len(proven))
	for i, receipt := range proven {
		list[i] = &types.Receipt{
			Type: receipt.Type, PostState: receipt.PostState, Status: receipt.Status, Bloom: receipt.Bloom,
			CumulativeGasUsed: receipt.CumulativeGasUsed, Logs: receipt.Logs,
		}
		if receipt.Logs == nil {
			list[i].Logs = []*types.Log{}
		}
	}
	if err := list.DeriveFields(r.options.Config, block.Hash(), block.NumberU64(), block.Time(), block.BaseFee(), nil,
		block.Transactions()); err != nil {
		return nil, fmt.Errorf("receipts of block %d: %w", block.NumberU64(), err)
	}
	list.ApplyGovernedTip(r.options.Config, block.Header(), block.Transactions())
	return list, nil
}

// differentField returns the name of a field of a log that says something else about its place, "" for none.
func differentField(have, want *types.Log) string {
	switch {
	case have.BlockNumber != want.BlockNumber:
		return "blockNumber"
	case have.BlockHash != want.BlockHash:
		return "blockHash"
	case have.TxHash != want.TxHash:
		return "transactionHash"
	case have.TxIndex != want.TxIndex:
		return "transactionIndex"
	case have.Index != want.Index:
		return "logIndex"
	case have.BlockTimestamp != 0 && have.BlockTimestamp != want.BlockTimestamp: // older nodes have none
		return "blockTimestamp"
	case have.Removed:
		return "removed"
	}
	return ""
}
