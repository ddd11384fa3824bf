// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package dial

import (
	"context"
	"fmt"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"
)

// Block is a block as a node answers it. T is what is read of each transaction: its hash, or fields of it.
type Block[T any] struct {
	Number       hexutil.Uint64 `json:"number"`
	Hash         common.Hash    `json:"hash"`
	ParentHash   common.Hash    `json:"parentHash"`
	StateRoot    common.Hash    `json:"stateRoot"`
	Timestamp    hexutil.Uint64 `json:"timestamp"` // Unix seconds
	Miner        common.Address `json:"miner"`
	GasUsed      hexutil.Uint64 `json:"gasUsed"`
	GasLimit     hexutil.Uint64 `json:"gasLimit"`
	BaseFee      *hexutil.Big   `json:"baseFeePerGas"` // nil before London
	Size         hexutil.Uint64 `json:"size"`          // bytes
	Extra        hexutil.Bytes  `json:"extraData"`
	Bloom        *types.Bloom   `json:"logsBloom"` // nil where the node does not tell it
	Transactions []T            `json:"transactions"`
}

// Head is a block without the fields of its transactions.
type Head = Block[common.Hash]

// Time returns the time of the block.
func (b *Block[T]) Time() time.Time {
	return time.Unix(int64(min(b.Timestamp, 1<<40)), 0) //nolint:gosec // bounded
}

// Round returns the round in which the block was sealed, 0 where its extra data has none, as that of a genesis block.
func (b *Block[T]) Round() uint32 {
	extra, err := types.DecodeWBFTExtra(b.Extra)
	if err != nil {
		return 0
	}
	return extra.Round
}

// FeeCap returns the fee cap that is offered with a tip, in wei: it holds for minutes of rising base fees. A nil base
// fee is none.
func FeeCap(tip, baseFee *big.Int) *big.Int {
	feeCap := new(big.Int).Set(tip)
	if baseFee != nil {
		feeCap.Add(feeCap, new(big.Int).Lsh(baseFee, 1))
	}
	return feeCap
}

// BlockAt returns the block with a number or tag. It fails when the node does not have that block.
func BlockAt(ctx context.Context, client *rpc.Client, number rpc.BlockNumber) (*Head, error) {
	var block *Head
	if err := Ask(ctx, client, &block, "eth_getBlockByNumber", number, false); err != nil {
		return nil, err
	}
	if block == nil {
		return nil, fmt.Errorf("the node does not have block %v", number)
	}
	return block, nil
}
