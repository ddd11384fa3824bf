// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package txrequest

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"gwon/internal/dial"
	"gwon/pay/txsign"
)

// Node is the connection to a node, as rpc.Client is one.
type Node interface {
	CallContext(ctx context.Context, result any, method string, args ...any) error
}

// Submit sends a signed transaction to a node of its chain. One that is in a block already has a receipt.
func Submit(ctx context.Context, node Node, tx *txsign.Signed) (*Receipt, error) {
	var chainID hexutil.Big
	if err := node.CallContext(ctx, &chainID, "eth_chainId"); err != nil {
		return nil, fmt.Errorf("ask the node for its chain ID: %w", err)
	}
	if chainID.ToInt().Cmp(tx.ChainID.ToInt()) != 0 {
		return nil, fmt.Errorf("node has chain ID %v, the transaction is signed for %v: give the endpoint of that chain in "+
			"--rpc", chainID.ToInt(), tx.ChainID.ToInt())
	}
	var hash common.Hash
	if err := node.CallContext(ctx, &hash, "eth_sendRawTransaction", tx.Raw); err != nil {
		for _, method := range []string{receiptMethod, "eth_getTransactionReceiptBySenderHash"} {
			// Where the node cannot say more, its refusal stands.
			if receipt, unknown := receiptOf(ctx, node, method, tx.Hash); unknown == nil && receipt != nil {
				return receipt, nil
			}
		}
		if dial.Says(err, dial.Known) {
			return nil, nil
		}
		return nil, fmt.Errorf("node refused the transaction: %w", err)
	}
	if hash != tx.Hash && (tx.SenderTransactionHash == nil || hash != *tx.SenderTransactionHash) {
		return nil, fmt.Errorf("node answered with hash %v, not %v: look the transaction up before sending it again",
			hash, tx.Hash)
	}
	return nil, nil
}

// Receipt is what is printed of a receipt. All is the node's whole answer.
type Receipt struct {
	BlockNumber       hexutil.Uint64  `json:"blockNumber"`
	Status            hexutil.Uint64  `json:"status"`
	GasUsed           hexutil.Uint64  `json:"gasUsed"`
	EffectiveGasPrice *hexutil.Big    `json:"effectiveGasPrice"`
	ContractAddress   *common.Address `json:"contractAddress"`
	Type              hexutil.Uint64  `json:"type"`
	FeePayer          *common.Address `json:"feePayer"` // nil from other clients
	All               json.RawMessage `json:"-"`
}

const receiptMethod = "eth_getTransactionReceipt"

// receiptOf asks a node for a receipt, which is nil where the transaction is in no block.
func receiptOf(ctx context.Context, node Node, method string, hash common.Hash) (*Receipt, error) {
	receipt := new(Receipt)
	if err := node.CallContext(ctx, &receipt.All, method, hash); err != nil {
		return nil, fmt.Errorf("ask for the receipt of %v: %w", hash, err)
	}
	if len(receipt.All) == 0 || string(receipt.All) == "null" {
		return nil, nil
	}
	if err := json.Unmarshal(receipt.All, receipt); err != nil {
		return nil, fmt.Errorf("receipt of %v: %w", hash, err)
	}
	return receipt, nil
}

// Await waits for the receipt of a transaction until ctx ends.
func Await(ctx context.Context, node Node, hash common.Hash) (*Receipt, error) {
	ticker := time.Tick(200 * time.Millisecond)
	for {
		receipt, err := receiptOf(ctx, node, receiptMethod, hash)
		if receipt != nil || err != nil && ctx.Err() == nil {
			return receipt, err
		}
		select {
		case <-ticker:
		case <-ctx.Done():
			return nil, fmt.Errorf("transaction %v is sent, and in no block yet: ask for its receipt later", hash)
		}
	}
}
