// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/internal/must"
	"gwon/params"
)

// A node snap syncs past a block whose receipts exceed what eth/68 carries: 129 logs of 100,000 bytes. It has the block
// without them, says so when it is asked, and has the receipts of the next one (spec network 2.3, 4).
func TestSnapSyncPastReceiptsThatNobodyCanServe(t *testing.T) {
	t.Parallel()
	const past, heavy = 200, 7
	c := agedCluster(t, 1, past*time.Second+time.Hour)
	// PUSH1 129, JUMPDEST, PUSH3 100000, PUSH0, LOG0, PUSH1 1, SWAP1, SUB, DUP1, PUSH1 2, JUMPI, STOP
	logs := common.FromHex("60815b620186a05fa0600190038060025700")
	var hashes []common.Hash
	c.startAged(t, past, 0, func(parent *types.Header) []*types.Transaction {
		number := parent.Number.Uint64() + 1
		if number != heavy && number != heavy+1 {
			return nil
		}
		tip := new(big.Int).SetUint64(params.DefaultGasTip)
		inner := &types.DynamicFeeTx{
			ChainID: big.NewInt(chainID), Nonce: number - heavy, GasTipCap: tip, Gas: 21000, To: &common.Address{1},
			GasFeeCap: new(big.Int).Add(tip, new(big.Int).Mul(parent.BaseFee, big.NewInt(2))),
		}
		if number == heavy {
			inner.Gas, inner.To, inner.Data = 104_000_000, nil, logs
		}
		tx := types.MustSignNewTx(c.network.Accounts[0].Key(), types.LatestSignerForChainID(inner.ChainID), inner)
		hashes = append(hashes, tx.Hash())
		return []*types.Transaction{tx}
	})
	if n := len(c.receipt(t, 0, hashes[0]).Logs); n < 129 {
		t.Fatalf("the block has %d logs", n)
	}
	follower := c.addFollowers(t, 1)
	c.follow(t, follower, []int{0}, "--syncmode", "snap")
	c.atHead(t, follower, 0)
	if r := c.receipt(t, follower, hashes[1]); r.BlockNumber.Uint64() != heavy+1 {
		t.Errorf("the next block's receipt is of block %d", r.BlockNumber)
	}
	if b := c.block(t, follower, uint64(heavy)); len(b.Transactions) != 1 || b.Hash != c.block(t, 0,
		uint64(heavy)).Hash {
		t.Errorf("block %d on the follower has transactions %v", heavy, b.Transactions)
	}
	var r *types.Receipt
	if err := c.call(follower, &r, "eth_getTransactionReceipt", hashes[0]); err == nil {
		t.Errorf("the receipt that is not there reads as %v", r)
	}
	head := must.Get(c.head(0))(t)
	c.sameChain(t, head)
}
