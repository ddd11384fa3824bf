// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package core_test

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/trie"

	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/vectors"
	"gwon/params"
)

// TestRecordedBlocks rebuilds the blocks that go-stablenet v1.1.0 sealed from raw transactions and receipts.
//
// spec: transactions 1.2, transactions 1.4, transactions 3.5
func TestRecordedBlocks(t *testing.T) {
	recorded := vectors.LoadRecorded(t)
	for number, block := range recorded.Blocks {
		var txs types.Transactions
		for _, want := range block.Transactions {
			txs = append(txs, recordedTransaction(t, want, recorded.RawTransactions[want.Hash]))
		}
		rebuilt := types.NewBlockWithHeader(block.Header).WithBody(types.Body{Transactions: txs})
		expect.That(t, rebuilt.Size() == uint64(block.Size),
			"block %d has %d bytes, recorded %d", number, rebuilt.Size(), block.Size)
		if root := types.DeriveSha(txs, trie.NewStackTrie(nil)); root != block.Header.TxHash {
			t.Errorf("block %d: root of transactions %v, recorded %v", number, root, block.Header.TxHash)
		}
		checkRecordedReceipts(t, block, txs, recorded.Receipts[number])
	}
}

// recordedTransaction decodes a raw transaction and compares what follows from it.
func recordedTransaction(t *testing.T, want *vectors.RecordedTransaction, raw []byte) *types.Transaction {
	t.Helper()
	tx := new(types.Transaction)
	must.Do(t, tx.UnmarshalBinary(raw), want.Hash)
	signer := types.NewAnzeonSigner(big.NewInt(8283))
	sender, err := types.Sender(signer, tx)
	expect.That(t, err == nil && sender == want.From, "%v: sender %v (%v), recorded %v", want.Hash, sender, err, want.From)
	expect.That(t, tx.Hash() == want.Hash && tx.Type() == uint8(want.Type),
		"type %#x with hash %v, recorded %#x, %v", tx.Type(), tx.Hash(), want.Type, want.Hash)
	if want.FeePayer == nil {
		return tx
	}
	payer, err := types.RecoverFeePayer(signer, tx)
	expect.That(t, err == nil && payer == *want.FeePayer && *tx.FeePayer() == payer,
		"%v: fee payer %v (%v), recorded %v", want.Hash, payer, err, want.FeePayer)
	return tx
}

func checkRecordedReceipts(
	t *testing.T,
	block *vectors.RecordedBlock,
	txs types.Transactions,
	recorded []*vectors.RecordedReceipt,
) {
	t.Helper()
	var receipts types.Receipts
	for _, r := range recorded {
		receipts = append(receipts, &types.Receipt{
			Type:              uint8(r.Type),
			Status:            uint64(r.Status),
			CumulativeGasUsed: uint64(r.CumulativeGasUsed),
			Bloom:             types.CreateBloom(&types.Receipt{Logs: r.Logs}),
			Logs:              r.Logs,
		})
	}
	if root := types.DeriveSha(receipts, trie.NewStackTrie(nil)); root != block.Header.ReceiptHash {
		t.Errorf("block %v: root of receipts %v, recorded %v", block.Header.Number, root, block.Header.ReceiptHash)
	}
	if bloom := types.MergeBloom(receipts); bloom != block.Header.Bloom {
		t.Errorf("block %v: bloom %x, recorded %x", block.Header.Number, bloom, block.Header.Bloom)
	}
	receipts.ApplyGovernedTip(params.Testnet(), block.Header, txs)
	for i, r := range receipts {
		if r.EffectiveGasPrice.Cmp(recorded[i].EffectiveGasPrice.ToInt()) != 0 || r.Bloom != recorded[i].LogsBloom {
			t.Errorf("receipt %d: price %v, bloom %x, recorded %v, %x",
				i, r.EffectiveGasPrice, r.Bloom, recorded[i].EffectiveGasPrice, recorded[i].LogsBloom)
		}
	}
}
