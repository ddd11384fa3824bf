// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package notify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rpc"
)

// maxTopics is the number of addresses in one query. Nodes refuse more than 1,000 values of a topic.
const maxTopics = 1000

var transferTopic = crypto.Keccak256Hash([]byte("Transfer(address,address,uint256)"))

// errIncomplete reports that a node has not all blocks of a range. Behind a load balancer another node may have them.
var errIncomplete = errors.New("the node has not all blocks of the range yet")

// block is the part of a block that the notifier reads.
type block struct {
	Number    hexutil.Uint64 `json:"number"`
	Hash      common.Hash    `json:"hash"`
	Timestamp hexutil.Uint64 `json:"timestamp"`
}

// Transfer is one transfer of coins, in the form in which it is delivered.
type Transfer struct {
	// ID is the same in every delivery of a transfer, and of no other transfer: block hash and log index.
	ID          string         `json:"id"`
	Block       uint64         `json:"block"`
	BlockHash   common.Hash    `json:"blockHash"`
	Timestamp   uint64         `json:"timestamp"` // of the block, Unix seconds
	Transaction common.Hash    `json:"transaction"`
	LogIndex    uint           `json:"logIndex"`
	Contract    common.Address `json:"contract"`
	From        common.Address `json:"from"`
	To          common.Address `json:"to"`
	// Value is decimal, in the smallest unit of the contract: for the coin 10^18 are 1 WKRC.
	Value string `json:"value"`
}

// source reads blocks and transfers from a node.
type source struct{ client *rpc.Client }

func (s source) chainID(ctx context.Context) (uint64, error) {
	var id hexutil.Uint64
	err := s.client.CallContext(ctx, &id, "eth_chainId")
	return uint64(id), err
}

// block returns a block by number, or the newest one with "latest". A block that the node does not have is nil.
func (s source) block(ctx context.Context, number string) (*block, error) {
	var b *block
	err := s.client.CallContext(ctx, &b, "eth_getBlockByNumber", number, false)
	return b, err
}

// transfers returns what a webhook is told of the blocks from first to last, in order, and the last block. All queries
// are one batch together with the last block, which one node answers: a node that lags behind others cannot hide logs.
func (s source) transfers(ctx context.Context, w *Webhook, first, last uint64) ([]Transfer, *block, error) {
	var end *block
	batch := []rpc.BatchElem{
		{Method: "eth_getBlockByNumber", Args: []any{hexutil.Uint64(last), false}, Result: &end},
	}
	for _, topics := range w.topics() {
		batch = append(batch, rpc.BatchElem{Method: "eth_getLogs", Result: new([]types.Log), Args: []any{map[string]any{
			"fromBlock": hexutil.Uint64(first), "toBlock": hexutil.Uint64(last), "address": *w.Contract, "topics": topics,
		}}})
	}
	if err := s.client.BatchCallContext(ctx, batch); err != nil {
		return nil, nil, err
	}
	for _, answer := range batch {
		if answer.Error != nil {
			return nil, nil, fmt.Errorf("%s: %w", answer.Method, answer.Error)
		}
	}
	if end == nil {
		return nil, nil, errIncomplete
	}
	if uint64(end.Number) != last {
		return nil, nil, fmt.Errorf("the node answered block %d where %d was asked for", end.Number, last)
	}
	var found []Transfer
	for _, answer := range batch[1:] {
		for _, l := range *answer.Result.(*[]types.Log) {
			transfer, err := decode(w, &l, first, last)
			if err != nil {
				return nil, nil, fmt.Errorf("log %d of block %d: %w", l.Index, l.BlockNumber, err)
			}
			if transfer.Value != "0" || w.ZeroTransfers {
				found = append(found, transfer)
			}
		}
	}
	slices.SortFunc(found, func(a, b Transfer) int {
		return cmp.Or(cmp.Compare(a.Block, b.Block), cmp.Compare(a.LogIndex, b.LogIndex))
	})
	// A transfer between two watched addresses answers several queries.
	found = slices.CompactFunc(found, func(a, b Transfer) bool { return a.ID == b.ID })
	return found, end, s.addTimes(ctx, found)
}

// topics returns the topic filters of a webhook, each with at most maxTopics addresses.
func (w *Webhook) topics() (filters [][]any) {
	for part := range slices.Chunk(w.Addresses, maxTopics) {
		watched := make([]common.Hash, len(part))
		for i, address := range part {
			watched[i] = common.BytesToHash(address[:])
		}
		if w.Direction != In {
			filters = append(filters, []any{transferTopic, watched})
		}
		if w.Direction != Out {
			filters = append(filters, []any{transferTopic, nil, watched})
		}
	}
	return filters
}

// decode checks a log against the question and returns its transfer. The time is 0 where the node does not tell it.
func decode(w *Webhook, l *types.Log, first, last uint64) (Transfer, error) {
	if l.BlockNumber < first || l.BlockNumber > last || l.Address != *w.Contract || l.Removed {
		return Transfer{}, errors.New("the node answered a log that was not asked for")
	}
	if len(l.Topics) != 3 || l.Topics[0] != transferTopic || len(l.Data) != 32 {
		return Transfer{}, fmt.Errorf("contract %v logs no transfers as ERC-20 states them", l.Address)
	}
	return Transfer{
		ID:    fmt.Sprintf("%v-%d", l.BlockHash, l.Index),
		Block: l.BlockNumber, BlockHash: l.BlockHash, Timestamp: l.BlockTimestamp,
		Transaction: l.TxHash, LogIndex: l.Index, Contract: l.Address,
		From: common.BytesToAddress(l.Topics[1][:]), To: common.BytesToAddress(l.Topics[2][:]),
		Value: new(big.Int).SetBytes(l.Data).String(),
	}, nil
}

// addTimes completes the times of blocks for nodes whose logs have none, such as go-stablenet.
func (s source) addTimes(ctx context.Context, transfers []Transfer) error {
	var last *block
	for i := range transfers {
		t := &transfers[i]
		if t.Timestamp != 0 {
			continue
		}
		if last == nil || last.Hash != t.BlockHash {
			b, err := s.block(ctx, hexutil.EncodeUint64(t.Block))
			switch {
			case err != nil:
				return err
			case b == nil:
				return errIncomplete
			case b.Hash != t.BlockHash:
				return fmt.Errorf("block %d has the hash %v, and its log says %v", t.Block, b.Hash, t.BlockHash)
			}
			last = b
		}
		t.Timestamp = uint64(last.Timestamp)
	}
	return nil
}
