// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"context"
	"errors"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// TestSenderHashFindsTransaction looks up payments by their sender hashes, pooled and mined, on an ordinary and on a
// public node.
// spec: transactions 1.2
func TestSenderHashFindsTransaction(t *testing.T) {
	for name, opts := range map[string]Options{"ordinary": {}, "public": {Public: true}} {
		t.Run(name, func(t *testing.T) {
			n, client := startNode(t, opts)
			sponsored, plain := delegated(t, 1, 2, 0, testTip, 3*testTip), payment(t, 3, 0, testTip, 3*testTip)
			senderHash := *sponsored.SenderTransactionHash()
			lookUp := func(method string, hash common.Hash) string {
				t.Helper()
				return ask(t, client, method, toJSON(t, []any{hash}))
			}
			const transaction, receipt = "eth_getTransactionBySenderHash", "eth_getTransactionReceiptBySenderHash"

			for _, method := range []string{transaction, receipt} {
				expect.Equal(t, lookUp(method, senderHash), "null", "%s before submission", method)
			}
			for _, tx := range []*types.Transaction{sponsored, plain} {
				got := ask(t, client, "eth_sendRawTransaction", toJSON(t, []any{encode(t, tx)}))
				must.That(t, got == toJSON(t, tx.Hash()), "%v", got)
			}
			pooled := lookUp(transaction, senderHash)
			expect.Equal(t, pooled, lookUp("eth_getTransactionByHash", sponsored.Hash()), "pooled")
			got := field(t, pooled, "senderTransactionHash")
			expect.That(t, got == toJSON(t, senderHash), "pooled transaction names sender hash %s, want %v", got, senderHash)
			expect.Equal(t, lookUp(receipt, senderHash), "null", "receipt of a pooled transaction")

			n.extend(t, []*types.Transaction{sponsored, plain})
			for _, tt := range []struct {
				name       string
				method     string
				ask        common.Hash
				likeMethod string
				like       common.Hash
			}{
				{"sponsored transaction", transaction, senderHash, "eth_getTransactionByHash", sponsored.Hash()},
				{"sponsored receipt", receipt, senderHash, "eth_getTransactionReceipt", sponsored.Hash()},
				{"plain transaction", transaction, plain.Hash(), "eth_getTransactionByHash", plain.Hash()},
				{"plain receipt", receipt, plain.Hash(), "eth_getTransactionReceipt", plain.Hash()},
			} {
				t.Run(tt.name, func(t *testing.T) {
					got, want := lookUp(tt.method, tt.ask), lookUp(tt.likeMethod, tt.like)
					expect.That(t, got == want && got != "null", "got %s, want %s", got, want)
				})
			}
			for _, method := range []string{transaction, receipt} {
				expect.Equal(t, lookUp(method, sponsored.Hash()), "null", "%s takes a hash that no sender signed", method)
			}
			expect.Equal(t, field(t, lookUp(receipt, senderHash), "senderTransactionHash"), toJSON(t, senderHash),
				"receipt names sender hash")
			whole := ask(t, client, "eth_getBlockReceipts", `["latest"]`)
			expect.Contains(t, whole, lookUp(receipt, senderHash), "receipts of the block lack the receipt as it is looked up")
		})
	}
}

// unfinished is an index that has not come to all blocks, or fails.
type unfinished struct{ err error }

func (u unfinished) Mined(common.Hash) (common.Hash, bool, error) { return common.Hash{}, false, u.err }
func (unfinished) Pooled(common.Hash) *types.Transaction          { return nil }

// TestSenderHashUnknownWhileIndexing expects an error, not "there is none", while the index is incomplete.
func TestSenderHashUnknownWhileIndexing(t *testing.T) {
	n, _ := startNode(t, Options{})
	upstream := newTransactions(n).upstream
	broken := errors.New("broken disk")
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"indexing", nil, "transaction indexing is in progress"},
		{"broken", broken, "broken disk"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &senderHashes{upstream: upstream, index: unfinished{tt.err}}
			_, err := s.GetTransactionBySenderHash(context.Background(), common.Hash{1})
			expect.That(t, err != nil && err.Error() == tt.want, "transaction: %v, want %s", err, tt.want)
			_, err = s.GetTransactionReceiptBySenderHash(context.Background(), common.Hash{1})
			expect.That(t, err != nil && err.Error() == tt.want, "receipt: %v, want %s", err, tt.want)
		})
	}
}
