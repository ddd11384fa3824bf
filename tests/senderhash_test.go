// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"bytes"
	"encoding/json"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/internal/must"
)

// TestSenderHashesSurviveKills kills a node right after it has shown the receipt of a fee-delegated transaction. After
// each start all of them are found by the hashes that their senders know.
// spec: transactions 1.2
func TestSenderHashesSurviveKills(t *testing.T) {
	t.Parallel()
	c := startCluster(t, 1)
	c.awaitHead(t, 1, 0)
	payer := c.network.Accounts[0]
	hashes := make(map[common.Hash]common.Hash) // on the chain, by the sender's
	for range 4 {
		key, _ := emptyAccount(t)
		tip, feeCap := c.fees(t, 0)
		sender := new(types.Transaction)
		must.Do(t, sender.UnmarshalBinary(transfer(t, key, 0, common.Address{0xaa}, new(big.Int), tip, feeCap)))
		tx, err := types.WrapFeeDelegated(sender, payer.Address)
		must.Do(t, err)
		if tx, err = types.SignTx(tx, types.NewFeeDelegateSigner(new(big.Int).SetUint64(chainID)), payer.Key()); err != nil {
			t.Fatal(err)
		}
		raw, err := tx.MarshalBinary()
		must.Do(t, err)
		var hash common.Hash
		c.must(t, 0, &hash, "eth_sendRawTransaction", hexutil.Bytes(raw))
		c.receipt(t, 0, hash)
		hashes[sender.Hash()] = hash
		c.kill(t, 0)
		c.start(t, 0)
		for senderHash, hash := range hashes {
			c.await(t, "the lookup of "+senderHash.Hex(), func() (bool, string) {
				var byHash, bySender json.RawMessage
				if err := c.call(0, &byHash, "eth_getTransactionReceipt", hash); err != nil {
					return false, err.Error()
				}
				if err := c.call(0, &bySender, "eth_getTransactionReceiptBySenderHash", senderHash); err != nil {
					return false, err.Error()
				}
				return string(byHash) != "null" && bytes.Equal(byHash, bySender), string(byHash) + " and " + string(bySender)
			})
		}
	}
}
