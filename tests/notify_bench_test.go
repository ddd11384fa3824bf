// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"

	"gwon/pay/notify"
)

// BenchmarkNotify pays an address once in each block of four validators, and reports how long after the time of the
// block a webhook has the payment: with a node that is believed, and with one whose answers are proven.
func BenchmarkNotify(b *testing.B) {
	const payments = 200
	c := startGoverned(b, 4, unchanged).cluster
	for _, kind := range []struct {
		name  string
		flags []string
	}{{"believed", nil}, {"proven", c.proven(b)}} {
		b.Run(kind.name, func(b *testing.B) {
			shop := common.BytesToAddress([]byte("shop, " + kind.name))
			var mu sync.Mutex
			late := make(map[string]time.Duration)
			receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				now := time.Now()
				var d notify.Delivery
				if err := json.NewDecoder(r.Body).Decode(&d); err != nil {
					return // the notifier has ended
				}
				mu.Lock()
				defer mu.Unlock()
				for _, transfer := range d.Transfers {
					late[transfer.ID] = now.Sub(time.Unix(int64(transfer.Timestamp), 0)) //nolint:gosec // a time of this network
				}
			}))
			b.Cleanup(receiver.Close)
			startNotifier(b, fmt.Sprintf(`node = %q
state = "state"
[[webhook]]
label = "shop"
url = %q
secret_file = "secret"
addresses = [%q]
start = "0"
`, c.node(0).HTTP(), receiver.URL, shop.Hex()), kind.flags...)
			for range b.N {
				c.payEachBlock(b, shop, payments)
			}
			want := b.N * payments
			c.await(b, "all payments to be delivered", func() (bool, string) {
				mu.Lock()
				defer mu.Unlock()
				return len(late) == want, fmt.Sprint(len(late))
			})
			mu.Lock()
			defer mu.Unlock()
			times := make([]time.Duration, 0, len(late))
			for _, l := range late {
				times = append(times, l)
			}
			slices.Sort(times)
			for _, p := range []int{50, 95, 99, 100} {
				b.ReportMetric(float64(times[(len(times)*p-1)/100].Milliseconds()), fmt.Sprintf("p%d-ms", p))
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// payEachBlock sends payments one after the other, the next when the one before is in a block.
func (c *cluster) payEachBlock(b *testing.B, to common.Address, count int) {
	b.Helper()
	from := c.network.Accounts[1]
	signer := types.LatestSignerForChainID(big.NewInt(chainID))
	var nonce hexutil.Uint64
	c.must(b, 0, &nonce, "eth_getTransactionCount", from.Address, "latest")
	for i := range uint64(count) {
		tip, feeCap := c.fees(b, 0)
		tx, err := types.SignNewTx(from.Key(), signer, &types.DynamicFeeTx{
			ChainID: signer.ChainID(), Nonce: uint64(nonce) + i, GasTipCap: tip, GasFeeCap: feeCap, Gas: 21000, To: &to,
			Value: common.Big1,
		})
		if err != nil {
			b.Fatal(err)
		}
		raw, err := tx.MarshalBinary()
		if err != nil {
			b.Fatal(err)
		}
		var hash common.Hash
		c.must(b, 0, &hash, "eth_sendRawTransaction", hexutil.Bytes(raw))
		c.receipt(b, 0, hash)
	}
}
