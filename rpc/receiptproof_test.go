// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/consensus/finality"
	"gwon/consensus/wbft/wbfttest"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// sealedBlocks is the part of a node that finds transactions, over a chain with seals.
type sealedBlocks struct {
	*gethcore.BlockChain
	pooled   map[common.Hash]*types.Transaction
	indexing bool
	cutoff   uint64
	noBlock  bool
	receipts func(types.Receipts) types.Receipts
	reading  error
}

func (s *sealedBlocks) GetCanonicalTransaction(hash common.Hash) (bool, *types.Transaction, common.Hash, uint64,
	uint64) {
	lookup, tx := s.BlockChain.GetCanonicalTransaction(hash)
	if lookup == nil {
		return false, nil, common.Hash{}, 0, 0
	}
	return true, tx, lookup.BlockHash, lookup.BlockIndex, lookup.Index
}

func (s *sealedBlocks) GetPoolTransaction(hash common.Hash) *types.Transaction { return s.pooled[hash] }
func (s *sealedBlocks) TxIndexDone() bool                                      { return !s.indexing }
func (s *sealedBlocks) HistoryPruningCutoff() uint64                           { return s.cutoff }

func (s *sealedBlocks) BlockByHash(_ context.Context, hash common.Hash) (*types.Block, error) {
	if s.noBlock {
		return nil, s.reading
	}
	return s.GetBlockByHash(hash), nil
}

func (s *sealedBlocks) GetReceipts(_ context.Context, hash common.Hash) (types.Receipts, error) {
	return s.receipts(s.GetReceiptsByHash(hash)), nil
}

// knownSenders is an index of sender hashes.
type knownSenders struct {
	mined    map[common.Hash]common.Hash
	pooled   map[common.Hash]*types.Transaction
	indexing bool
	fault    error
}

func (k *knownSenders) Mined(hash common.Hash) (common.Hash, bool, error) {
	return k.mined[hash], !k.indexing, k.fault
}
func (k *knownSenders) Pooled(hash common.Hash) *types.Transaction { return k.pooled[hash] }

// A transaction is proven with its receipt. What is unknown, pending or not stored gets a sentence with a remedy.
// spec: wbft 3.1, 7.5
func TestGetReceiptProof(t *testing.T) {
	net := wbfttest.New(t, 4)
	net.Endow()
	chain, _ := net.Chain(t)
	net.Extend(t, chain, 7)
	paid := net.Sized(t, chain, 0, 4000)
	must.Get(chain.InsertChain(types.Blocks{paid}))(t)
	net.Extend(t, chain, 3)
	newest := net.Sized(t, chain, 0, 4000)
	must.Get(chain.InsertChain(types.Blocks{newest}))(t)
	tx, late := paid.Transactions()[0].Hash(), newest.Transactions()[0].Hash()
	absent, sender := common.Hash{0xab}, common.Hash{0xcd}
	pending := map[common.Hash]*types.Transaction{absent: paid.Transactions()[0]}
	whole := func(r types.Receipts) types.Receipts { return r }
	serve := func(t *testing.T, change func(*sealedBlocks, *knownSenders)) *gethrpc.Client {
		blocks, senders := &sealedBlocks{BlockChain: chain, receipts: whole}, new(knownSenders)
		change(blocks, senders)
		return connect(t, gethrpc.API{Namespace: "istanbul", Service: &receiptProofs{chain, blocks, senders}})
	}
	for _, test := range []struct {
		params  string
		trusted uint64
	}{
		{`["` + tx.Hex() + `"]`, 0},
		{`["` + tx.Hex() + `", "earliest"]`, 0},
		{`["` + tx.Hex() + `", "0x6"]`, 6},
		{`["` + tx.Hex() + `", "` + chain.GetHeaderByNumber(5).Hash().Hex() + `"]`, 5},
		{`["` + tx.Hex() + `", "0x8"]`, 8},
		{`["` + tx.Hex() + `", "0x9"]`, 9},
	} {
		t.Run(test.params, func(t *testing.T) {
			answer := ask(t, serve(t, func(*sealedBlocks, *knownSenders) {}), "istanbul_getReceiptProof", test.params)
			proof, err := finality.Decode(strings.NewReader(answer))
			must.That(t, err == nil, "%v: %s", err, answer)
			trusted := finality.Trusted{ChainID: chain.Config().ChainID, Number: test.trusted,
				Hash: chain.GetHeaderByNumber(test.trusted).Hash()}
			shown, err := finality.VerifyReceipt(proof, trusted)
			expect.That(t, err == nil && shown.Transaction.Hash() == tx, "%v, want transaction %v", err, tx)
		})
	}
	for _, test := range []struct {
		name, params string
		change       func(*sealedBlocks, *knownSenders)
		want         string
	}{
		{"unknown", `["` + absent.Hex() + `"]`, func(*sealedBlocks, *knownSenders) {},
			"unknown transaction: check the hash, and ask a node that indexes all blocks"},
		{"pending", `["` + absent.Hex() + `"]`, func(b *sealedBlocks, _ *knownSenders) { b.pooled = pending },
			"is pending: ask again when a block has it"},
		{"pending by sender hash", `["` + absent.Hex() + `"]`, func(_ *sealedBlocks, k *knownSenders) { k.pooled = pending },
			"is pending: ask again when a block has it"},
		{"sender hash", `["` + sender.Hex() + `"]`, func(_ *sealedBlocks, k *knownSenders) {
			k.mined = map[common.Hash]common.Hash{sender: tx}
		}, "is the hash that the sender knows: ask for " + tx.Hex()},
		{"indexing", `["` + absent.Hex() + `"]`, func(b *sealedBlocks, _ *knownSenders) { b.indexing = true },
			"transaction indexing is in progress"},
		{"indexing sender hashes", `["` + absent.Hex() + `"]`, func(_ *sealedBlocks, k *knownSenders) { k.indexing = true },
			"transaction indexing is in progress"},
		{"a broken index", `["` + absent.Hex() + `"]`, func(_ *sealedBlocks, k *knownSenders) {
			k.fault = errors.New("broken disk")
		}, "broken disk"},
		{"history that was pruned", `["` + absent.Hex() + `"]`, func(b *sealedBlocks, _ *knownSenders) { b.cutoff = 5 },
			"this node has no blocks before 5, ask one with the whole history"},
		{"a block that is not stored", `["` + tx.Hex() + `"]`, func(b *sealedBlocks, _ *knownSenders) { b.noBlock = true },
			"block 8 of the transaction is not stored on this node: ask another one"},
		{"a block that cannot be read", `["` + tx.Hex() + `"]`, func(b *sealedBlocks, _ *knownSenders) {
			b.noBlock, b.reading = true, errors.New("pruned history unavailable")
		}, "block 8 of the transaction: pruned history unavailable"},
		{"receipts that are not stored", `["` + tx.Hex() + `"]`, func(b *sealedBlocks, _ *knownSenders) {
			b.receipts = func(types.Receipts) types.Receipts { return nil }
		}, "the receipts of block 8 are not stored on this node: ask another one"},
		{"other receipts", `["` + tx.Hex() + `"]`, func(b *sealedBlocks, _ *knownSenders) {
			b.receipts = func(types.Receipts) types.Receipts { return types.Receipts{{Status: 1}} }
		}, "receipts of block 8: not in the block: the list has the root"},
		{"a trusted block after its child", `["` + tx.Hex() + `", "0xa"]`, func(*sealedBlocks, *knownSenders) {},
			"block is older than the trusted block: block 9, trusted block 10"},
		{"the newest block", `["` + late.Hex() + `"]`, func(*sealedBlocks, *knownSenders) {},
			"block 12 is the newest: its child, with which the proof is made, comes within seconds: ask again"},
		{"an unknown trusted block", `["` + tx.Hex() + `", "0xff"]`, func(*sealedBlocks, *knownSenders) {},
			"trusted block: unknown block"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := ask(t, serve(t, test.change), "istanbul_getReceiptProof", test.params)
			expect.That(t, strings.HasPrefix(got, "-32000 ") && strings.Contains(got, test.want), "%s, want %s", got, test.want)
		})
	}
}
