// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package sponsor

import (
	"bytes"
	"encoding/json"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/pay/txsign"
)

// TestBlocksForStockClients: a client that does not know type 0x16 reads the blocks that have such transactions, its
// own and those of others. Transactions of other types stay as they are.
func TestBlocksForStockClients(t *testing.T) {
	b := startBench(t, openPolicy)
	own, raw := senderTx(t, newSender(t), nil)
	b.must(new(common.Hash), "eth_sendRawTransaction", raw)
	plain, _ := senderTx(t, newSender(t), nil)
	inner, _ := senderTx(t, newSender(t), nil)
	payer := keyPayer(newSender(t))
	signed := must.Get(payer.cosign(t.Context(), must.Get(txsign.NewSigned(inner))(t), big.NewInt(testChain)))(t)
	foreign := signed.Tx
	b.chain.set(func() { b.chain.give(payer.address, big.NewInt(1e18)) })
	b.chain.mine(append(b.chain.pooled(), plain, foreign)...)
	head := b.chain.BlockNumber()
	var block struct {
		Number       hexutil.Uint64
		Transactions []json.RawMessage
	}
	b.must(&block, "eth_getBlockByNumber", head, true)
	want := []common.Hash{own.Hash(), plain.Hash(), inner.Hash()}
	must.That(t, block.Number == head && len(block.Transactions) == len(want), "block %+v", block)
	for i, text := range block.Transactions {
		for _, answer := range []json.RawMessage{
			text, b.call("/", "eth_getTransactionByBlockNumberAndIndex", head, hexutil.Uint64(i)).Result,
		} {
			var tx types.Transaction
			must.Do(t, json.Unmarshal(answer, &tx))
			var more struct{ Hash, FeeDelegatedTransactionHash common.Hash }
			must.Do(t, json.Unmarshal(answer, &more))
			expect.That(t, tx.Hash() == want[i] && more.Hash == want[i] && tx.Type() == types.DynamicFeeTxType &&
				(more.FeeDelegatedTransactionHash == common.Hash{}) == (i == 1), "transaction %d: %s", i, answer)
		}
	}
	if a := b.call("/", "eth_getBlockByNumber", head, false); !bytes.Contains(a.Result, []byte(foreign.Hash().Hex())) {
		t.Errorf("block of hashes: %s", a.Result)
	}
	a := b.call("/", "eth_getBlockByNumber", head+9, true)
	if a.Error != nil || len(a.Result) > 0 && string(a.Result) != "null" {
		t.Errorf("unknown block: %s, %+v", a.Result, a.Error)
	}
}
