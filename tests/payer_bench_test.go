// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes && unix

package tests

import (
	"crypto/ecdsa"
	"fmt"
	"math/big"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	gethparams "github.com/ethereum/go-ethereum/params"
)

const (
	carriedSenders = 400 // of a turn
	carriedNonces  = 25  // transactions of each sender
	carriedLines   = 40  // connections, to all nodes in turn; a sender keeps to one
)

// BenchmarkOnePayer submits the delegated transactions of as many senders to four validators as fast as they are
// accepted: with one fee payer that the nodes have never seen, and with a hundred such, in turns. It reports what both
// carry a second, until the last one is in a block, the submissions that were refused, and the ratio.
func BenchmarkOnePayer(b *testing.B) {
	const turns = 2
	c := prepareCluster(b, 4)
	for i := range 4 {
		c.start(b, i)
	}
	c.awaitHead(b, 1, 0, 1, 2, 3)
	for range b.N {
		var seconds, refused [2]float64
		for turn := range 2 * turns {
			kind := []int{0, 1, 1, 0}[turn%4] // neither is always the first
			took, again := c.carry(b, c.newPayers(b, []int{1, 100}[kind]))
			seconds[kind] += took.Seconds()
			refused[kind] += float64(again)
		}
		const txs = turns * carriedSenders * carriedNonces
		b.ReportMetric(txs/seconds[0], "one-payer-txs/s")
		b.ReportMetric(txs/seconds[1], "100-payers-txs/s")
		b.ReportMetric(seconds[1]/seconds[0], "one/100")
		b.ReportMetric(refused[0], "one-payer-refused")
		b.ReportMetric(refused[1], "100-payers-refused")
		b.ReportMetric(0, "ns/op")
	}
}

// newPayers makes accounts with coins for all transactions of a turn each.
func (c *cluster) newPayers(b *testing.B, n int) []*ecdsa.PrivateKey {
	b.Helper()
	tip, feeCap := c.fees(b, 0)
	funder := c.network.Accounts[3]
	var nonce hexutil.Uint64
	c.must(b, 0, &nonce, "eth_getTransactionCount", funder.Address, "pending")
	each := new(big.Int).Mul(feeCap, big.NewInt(10*carriedSenders*carriedNonces*int64(gethparams.TxGas)))
	payers := make([]*ecdsa.PrivateKey, n)
	for i := range payers {
		key, err := crypto.GenerateKey()
		if err != nil {
			b.Fatal(err)
		}
		payers[i] = key
		to := crypto.PubkeyToAddress(key.PublicKey)
		tx, err := types.SignNewTx(funder.Key(), types.LatestSignerForChainID(big.NewInt(chainID)), &types.DynamicFeeTx{
			ChainID: big.NewInt(chainID), Nonce: uint64(nonce) + uint64(i), GasTipCap: tip, GasFeeCap: feeCap,
			Gas: gethparams.TxGas, To: &to, Value: each,
		})
		if err != nil {
			b.Fatal(err)
		}
		raw, err := tx.MarshalBinary()
		if err != nil {
			b.Fatal(err)
		}
		c.must(b, 0, new(common.Hash), "eth_sendRawTransaction", hexutil.Bytes(raw))
	}
	last := crypto.PubkeyToAddress(payers[n-1].PublicKey)
	for i := range 4 {
		c.await(b, "coins of the fee payers", func() (bool, string) {
			have := c.balance(b, i, last, "latest")
			return have.Sign() > 0, have.String()
		})
	}
	return payers
}

// carry submits the transactions of new senders, paid by the payers in turn, and returns the time until all are in a
// block. A refused one is submitted again; their number is the second result.
func (c *cluster) carry(b *testing.B, payers []*ecdsa.PrivateKey) (time.Duration, int64) {
	b.Helper()
	tip, feeCap := c.fees(b, 0)
	feeCap.Mul(feeCap, big.NewInt(5))
	lists := make([][]string, carriedLines)
	for sender := range carriedSenders {
		key, err := crypto.GenerateKey()
		if err != nil {
			b.Fatal(err)
		}
		for nonce := range uint64(carriedNonces) {
			payer := payers[(sender+int(nonce))%len(payers)]
			at := sender % carriedLines
			lists[at] = append(lists[at], delegatedCall(b, key, nonce, payer, tip, feeCap))
		}
	}
	first, err := c.head(0)
	if err != nil {
		b.Fatal(err)
	}
	begin := time.Now()
	var refused atomic.Int64
	var group sync.WaitGroup
	for at, list := range lists {
		l, err := dialLine(c.node(at % 4).HTTPPort)
		if err != nil {
			b.Fatal(err)
		}
		group.Go(func() {
			defer func() { _ = l.conn.Close() }() // all answers have been read
			for _, body := range list {
				for attempts := 0; ; attempts++ {
					_, err := l.ask(body)
					if err == nil {
						break
					}
					if refused.Add(1); attempts > 100 {
						b.Errorf("refused a hundred times: %v", err)
						return
					}
					time.Sleep(20 * time.Millisecond) // before another attempt
				}
			}
		})
	}
	group.Wait()
	found := uint64(0)
	c.await(b, "the last transaction", func() (bool, string) {
		for ; found < carriedSenders*carriedNonces; first++ {
			var count *hexutil.Uint64
			c.must(b, 0, &count, "eth_getBlockTransactionCountByNumber", hexutil.Uint64(first+1))
			if count == nil {
				return false, fmt.Sprint(found)
			}
			found += uint64(*count)
		}
		return true, ""
	})
	return time.Since(begin), refused.Load()
}

// delegatedCall returns the call that submits a transfer of nothing, paid by another account.
func delegatedCall(b *testing.B, sender *ecdsa.PrivateKey, nonce uint64, payer *ecdsa.PrivateKey,
	tip, feeCap *big.Int) string {
	b.Helper()
	id := big.NewInt(chainID)
	tx, err := types.SignNewTx(sender, types.LatestSignerForChainID(id), &types.DynamicFeeTx{
		ChainID: id, Nonce: nonce, GasTipCap: tip, GasFeeCap: feeCap, Gas: gethparams.TxGas,
		To: &common.Address{0xaa}, Value: new(big.Int),
	})
	if err == nil {
		tx, err = types.WrapFeeDelegated(tx, crypto.PubkeyToAddress(payer.PublicKey))
	}
	if err == nil {
		tx, err = types.SignTx(tx, types.NewFeeDelegateSigner(id), payer)
	}
	if err != nil {
		b.Fatal(err)
	}
	raw, err := tx.MarshalBinary()
	if err != nil {
		b.Fatal(err)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["%v"]}`, hexutil.Bytes(raw))
}
