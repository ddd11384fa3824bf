// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package light

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	gethrpc "github.com/ethereum/go-ethereum/rpc"
	"github.com/gorilla/websocket"

	"gwon/consensus/finality/remotestate/remotetest"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// next returns what a subscription sends next.
func next[T any](t *testing.T, from chan T, s *gethrpc.ClientSubscription) (item T) {
	t.Helper()
	select {
	case item = <-from:
	case err := <-s.Err():
		t.Fatalf("the subscription ended: %v", err)
	case <-time.After(time.Minute):
		t.Fatal("nothing was sent")
	}
	return item
}

// Subscriptions over WebSocket send each proven block and each log in it, in order, also of blocks between two looks. A
// node that hides a log is left for another.
func TestSubscriptionsLeaveNothingOut(t *testing.T) {
	c := remotetest.New(t, 1337)
	c.Grow(t, logOf(shop, 1))
	liar, honest := c.Serve(t, nil), c.Serve(t, nil)
	e, _ := openLight(t, c, liar, honest)
	server := httptest.NewServer(e.Handler())
	t.Cleanup(server.Close)
	url := "ws" + strings.TrimPrefix(server.URL, "http")
	client := must.Get(gethrpc.DialContext(t.Context(), url))(t)
	t.Cleanup(client.Close)
	heads, logs := make(chan *types.Header, 1), make(chan *types.Log, 1)
	headSub := must.Get(client.EthSubscribe(t.Context(), heads, "newHeads"))(t)
	logSub := must.Get(client.EthSubscribe(t.Context(), logs, "logs", map[string]any{"address": shop}))(t)
	liar.Lie(remotetest.Alter("eth_getBlockReceipts", map[string]any{
		"logs": []any{}, "logsBloom": "0x" + strings.Repeat("00", types.BloomByteLength),
	}))
	var sent []*types.Log
	for number := uint64(2); number < 30; {
		for range 1 + number%3 {
			c.Grow(t, logOf(common.Address{8}, 3), logOf(shop, byte(number)))
		}
		advance(t, e)
		for ; number <= c.Head().NumberU64(); number++ {
			head := next(t, heads, headSub)
			must.That(t, head.Hash() == c.Block(number).Hash(), "head %v, want block %d", head.Number, number)
			sent = append(sent, next(t, logs, logSub))
		}
	}
	for i, l := range sent {
		expect.That(t, l.BlockNumber == uint64(i)+2 && l.Address == shop && l.Index == 1,
			"log %d is log %d of block %d", i, l.Index, l.BlockNumber)
	}
	if liar.Asked("eth_getBlockReceipts") != 1 {
		t.Errorf("the liar was asked %d times", liar.Asked("eth_getBlockReceipts"))
	}

	// Other kinds are refused with the reason, and a page of another origin cannot connect.
	for kind, reason := range map[string]string{
		"newPendingTransactions": "pool", "syncing": "eth_syncing", "transactionReceipts": "eth_getTransactionReceipt",
		"other": "newHeads and logs",
	} {
		_, err := client.EthSubscribe(t.Context(), make(chan any), kind)
		expect.That(t, err != nil && strings.Contains(err.Error(), reason) && strings.Contains(err.Error(), kind),
			"%s: %v, want %q", kind, err, reason)
	}
	_, response, err := websocket.DefaultDialer.Dial(url, http.Header{"Origin": {"http://page.example"}})
	expect.That(t, err != nil && response.StatusCode == http.StatusForbidden, "a page of another origin: %v", err)
}

// Subscriptions are bounded in number, and one that has ended leaves its place.
func TestSubscriptionsAreBounded(t *testing.T) {
	c := remotetest.New(t, 1337)
	e, client := openLight(t, c, c.Serve(t, nil))
	heads := make(chan *types.Header, 2*maxSubscriptions)
	var list []*gethrpc.ClientSubscription
	for range maxSubscriptions {
		s := must.Get(client.EthSubscribe(t.Context(), heads, "newHeads"))(t)
		list = append(list, s)
	}
	expect.Refused(t, expect.Err(client.EthSubscribe(t.Context(), heads, "newHeads")),
		"one subscription more than the bound")
	list[0].Unsubscribe()
	e.pushes <- struct{}{} // the place is free when its goroutine has ended
	<-e.pushes
	expect.Error(t, expect.Err(client.EthSubscribe(t.Context(), heads, "newHeads")), nil, "client.EthSubscribe")
	block := c.Grow(t)
	advance(t, e)
	for range maxSubscriptions {
		expect.Equal(t, next(t, heads, list[1]).Hash(), block.Hash(), "head")
	}
}

// A subscription to a range of blocks sends the logs in it alone.
func TestSubscriptionToARange(t *testing.T) {
	c := remotetest.New(t, 1337)
	e, client := openLight(t, c, c.Serve(t, nil))
	logs := make(chan *types.Log, 10)
	query := map[string]any{"fromBlock": "0x2", "toBlock": "0x3"}
	s := must.Get(client.EthSubscribe(t.Context(), logs, "logs", query))(t)
	all := make(chan *types.Log, 10)
	allSub := must.Get(client.EthSubscribe(t.Context(), all, "logs", map[string]any{}))(t)
	for range 5 {
		c.Grow(t, logOf(shop, 1))
	}
	advance(t, e)
	var have []uint64
	for range 2 {
		have = append(have, next(t, logs, s).BlockNumber)
	}
	for range 5 {
		next(t, all, allSub)
	}
	expect.That(t, slices.Equal(have, []uint64{2, 3}) && len(logs) == 0, "logs of blocks %v and %d more", have, len(logs))
}
