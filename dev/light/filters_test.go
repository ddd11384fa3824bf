// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package light

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/consensus/finality/remotestate"
	"gwon/consensus/finality/remotestate/remotetest"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// shop is the address whose logs tests ask for.
var shop = common.Address{7}

func logOf(address common.Address, topic byte) []*types.Log {
	return []*types.Log{{Address: address, Topics: []common.Hash{{topic}}, Data: []byte{topic}}}
}

// openLight returns an endpoint that has proven the newest block of a chain, and a client of it.
func openLight(t *testing.T, c *remotetest.Chain, nodes ...*remotetest.Node) (*Endpoint, *gethrpc.Client) {
	t.Helper()
	reader := c.Open(t, remotestate.Options{Memory: Memory}, nodes...)
	e := must.Get(New(Options{Reader: reader, Config: c.Config(), Genesis: c.Genesis(), Version: "test"}))(t)
	client := e.Client()
	t.Cleanup(func() {
		client.Close()
		e.Stop()
		gethrpc.SetDoor(nil)
		expect.Error(t, reader.Close(), nil, "reader.Close")
	})
	advance(t, e)
	return e, client
}

func advance(t *testing.T, e *Endpoint) {
	t.Helper()
	must.Do(t, e.Advance(t.Context()))
}

func ask[T any](t *testing.T, client *gethrpc.Client, method string, args ...any) (answer T) {
	t.Helper()
	must.Do(t, client.CallContext(t.Context(), &answer, method, args...), method)
	return answer
}

// placesOf returns block, index and topic of logs, which a test compares.
func placesOf(logs []*types.Log) (list []string) {
	for _, l := range logs {
		list = append(list, fmt.Sprintf("%d-%d-%x", l.BlockNumber, l.Index, l.Topics[0][0]))
	}
	return list
}

// Filters answer each new block, and each log in one, once. A node that hides a log is left for another.
func TestFiltersLeaveNothingOut(t *testing.T) {
	c := remotetest.New(t, 1337)
	for range 3 {
		c.Grow(t, logOf(shop, 1))
	}
	liar, honest := c.Serve(t, nil), c.Serve(t, nil)
	e, client := openLight(t, c, liar, honest)
	blocks := ask[gethrpc.ID](t, client, "eth_newBlockFilter")
	logs := ask[gethrpc.ID](t, client, "eth_newFilter", map[string]any{"address": shop})
	some := ask[gethrpc.ID](t, client, "eth_newFilter", map[string]any{"fromBlock": "0x2", "toBlock": "0x5",
		"topics": []any{common.Hash{2}}})
	for range 2 { // nothing is new, which is an empty list
		have := ask[[]common.Hash](t, client, "eth_getFilterChanges", blocks)
		expect.That(t, have != nil && len(have) == 0, "hashes before a block: %v", have)
		if have := ask[[]*types.Log](t, client, "eth_getFilterChanges", logs); have == nil || len(have) > 0 {
			t.Errorf("logs before a block: %v", have)
		}
	}
	liar.Lie(remotetest.Alter("eth_getBlockReceipts", map[string]any{
		"logs": []any{}, "logsBloom": "0x" + strings.Repeat("00", types.BloomByteLength),
	}))
	var hashes []common.Hash
	for i := range byte(4) {
		hashes = append(hashes, c.Grow(t, logOf(shop, 2), logOf(common.Address{8}, 2), logOf(shop, 10+i)).Hash())
	}
	have := ask[[]common.Hash](t, client, "eth_getFilterChanges", blocks)
	expect.That(t, len(have) == 0, "hashes of blocks that are not proven: %v", have)
	advance(t, e)
	expect.Slice(t, ask[[]common.Hash](t, client, "eth_getFilterChanges", blocks), hashes, "hashes")
	want := []string{"4-0-2", "4-2-a", "5-0-2", "5-2-b", "6-0-2", "6-2-c", "7-0-2", "7-2-d"}
	expect.Slice(t, placesOf(ask[[]*types.Log](t, client, "eth_getFilterChanges", logs)), want, "logs")
	if liar.Asked("eth_getBlockReceipts") != 1 {
		t.Errorf("the liar was asked %d times", liar.Asked("eth_getBlockReceipts"))
	}
	want = []string{"4-0-2", "4-1-2", "5-0-2", "5-1-2"}
	expect.Slice(t, placesOf(ask[[]*types.Log](t, client, "eth_getFilterChanges", some)), want, "logs up to block 5")
	expect.Slice(t, placesOf(ask[[]*types.Log](t, client, "eth_getFilterLogs", some)), want, "all logs of the filter")
	for _, id := range []gethrpc.ID{blocks, logs, some} {
		have := ask[[]any](t, client, "eth_getFilterChanges", id)
		expect.That(t, len(have) == 0, "answered again: %v", have)
	}
	for _, want := range []bool{true, false} {
		expect.Equal(t, ask[bool](t, client, "eth_uninstallFilter", logs), want, "filter removed")
	}
	for _, test := range []struct {
		method, want string
		args         []any
	}{
		{"eth_getFilterChanges", "filter not found", []any{logs}},
		{"eth_getFilterLogs", "no logs", []any{blocks}},
		{"eth_newFilter", "blockHash", []any{map[string]any{"blockHash": common.Hash{1}}}},
		{"eth_newFilter", "above toBlock", []any{map[string]any{"fromBlock": "0x9", "toBlock": "0x8"}}},
		{"eth_newFilter", "pending", []any{map[string]any{"toBlock": "pending"}}},
	} {
		err := client.CallContext(t.Context(), nil, test.method, test.args...)
		expect.Says(t, err, test.want, "%s%v", test.method, test.args)
	}
}

// What cannot be read is answered later: a filter does not move on.
func TestFilterWaitsForNodes(t *testing.T) {
	c := remotetest.New(t, 1337)
	node := c.Serve(t, nil)
	e, client := openLight(t, c, node)
	logs := ask[gethrpc.ID](t, client, "eth_newFilter", map[string]any{})
	c.Grow(t, logOf(shop, 1))
	advance(t, e)
	node.Fail("eth_getBlockReceipts")
	expect.Refused(t, client.CallContext(t.Context(), nil, "eth_getFilterChanges", logs), "logs without the node")
	node.Fail("")
	have := placesOf(ask[[]*types.Log](t, client, "eth_getFilterChanges", logs))
	expect.Slice(t, have, []string{"1-0-1"}, "logs")
}

// Filters are bounded in number, and those without a question are dropped.
func TestFiltersAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var table filterTable
		var ids []gethrpc.ID
		for range maxSubscriptions {
			id := must.Get(table.add(new(filter)))(t)
			ids = append(ids, id)
		}
		expect.Refused(t, expect.Err(table.add(new(filter))), "one filter more than the bound")
		time.Sleep(idleTime - time.Second)
		expect.Error(t, expect.Err(table.find(ids[0])), nil, "table.find")
		time.Sleep(time.Second)
		expect.Error(t, expect.Err(table.find(ids[0])), nil, "the filter that was asked")
		expect.That(t, !table.remove(ids[1]) && len(table.list) == 1, "%d filters after %v", len(table.list), idleTime)
	})
}
