// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/accounts"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// delegated is a fee-delegated transfer of 1 wei, sent by one test key and paid for by another.
func delegated(t *testing.T, sender, payer byte, nonce uint64, tip, feeCap int64) *types.Transaction {
	t.Helper()
	tx := must.Get(types.WrapFeeDelegated(payment(t, sender, nonce, tip, feeCap), testAddress(payer)))(t)
	tx = must.Get(types.SignTx(tx, types.NewFeeDelegateSigner(big.NewInt(8283)), testKey(payer)))(t)
	return tx
}

// Rules of governance apply to every submission, and the caller gets the error, although the node tracks local
// transactions. spec: rpc 8.1-8.3
func TestGovernedMinimumIsReported(t *testing.T) {
	n, client := startNode(t, Options{})
	n.TxPool().SetGasTip(big.NewInt(testTip))
	const floor = testBaseFee + testTip
	for _, test := range []struct {
		name string
		tx   *types.Transaction
		want string
	}{
		{"tip of 1 gwei", payment(t, 1, 0, 1_000_000_000, 3*testTip),
			"-32000 transaction underpriced: gas tip cap 1000000000, minimum needed 27600000000000"},
		{"delegated, tip of 1 gwei", delegated(t, 1, 2, 0, 1_000_000_000, 3*testTip),
			"-32000 transaction underpriced: gas tip cap 1000000000, minimum needed 27600000000000"},
		{"one wei less tip", payment(t, 1, 0, testTip-1, 3*testTip),
			"-32000 transaction underpriced: gas tip cap 27599999999999, minimum needed 27600000000000"},
		{"fee cap below base fee and tip", payment(t, 1, 0, testTip, floor-1),
			"-32000 transaction underpriced: gas fee cap 47599999999999, minimum needed 47600000000000: the lowest base fee " +
				"and the governed tip together, ask eth_gasPrice what to offer"},
	} {
		t.Run(test.name, func(t *testing.T) {
			expect.Equal(t, ask(t, client, "eth_sendRawTransaction", toJSON(t, []any{encode(t, test.tx)})), test.want,
				"%s", test.name)
			expect.That(t, !n.TxPool().Has(test.tx.Hash()), "%s: it is in the pool", test.name)
		})
	}
	pending, queued := n.TxPool().Stats()
	expect.That(t, pending == 0 && queued == 0, "%d pending and %d queued transactions, want none", pending, queued)
	must.Do(t, n.keys.Unlock(accounts.Account{Address: testAddress(1)}, "pw"))
	args := fmt.Sprintf(`[{"from":"%v","to":"%v","gas":"0x5208","nonce":"0x0",`+
		`"maxFeePerGas":"%#x","maxPriorityFeePerGas":"%#x"}]`,
		testAddress(1), testAddress(2), int64(floor-1), int64(testTip))
	got := ask(t, client, "eth_sendTransaction", args)
	expect.Contains(t, got, "minimum needed 47600000000000: the lowest base fee", "signed by the node")
	exact := payment(t, 1, 0, testTip, floor)
	got = ask(t, client, "eth_sendRawTransaction", toJSON(t, []any{encode(t, exact)}))
	expect.Equal(t, got, toJSON(t, exact.Hash()), "exactly the minimum")
}
