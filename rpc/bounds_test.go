// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth/filters"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/door"
	"gwon/internal/door/calls"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// overHTTP serves a namespace on a public endpoint and on the operator's.
func overHTTP(t *testing.T, namespace string, service any) (public, operator *gethrpc.Client) {
	t.Helper()
	server := gethrpc.NewServer()
	t.Cleanup(server.Stop)
	must.Do(t, server.RegisterName(namespace, service))
	dial := func(endpoint *httptest.Server) *gethrpc.Client {
		t.Cleanup(endpoint.Close)
		client := must.Get(gethrpc.Dial(endpoint.URL))(t)
		t.Cleanup(client.Close)
		return client
	}
	return dial(httptest.NewServer(server)), dial(httptest.NewServer(OperatorHandler(server)))
}

// A result with logs on a public node has a limit, wherever the logs come from. The operator gets the full result.
// spec: rpc 9.7
func TestBytesOfLogs(t *testing.T) {
	n, _ := startNode(t, Options{})
	var lists [][]*types.Transaction
	for nonce := uint64(0); nonce < 6; nonce += 2 {
		lists = append(lists, []*types.Transaction{payment(t, 1, nonce, testTip, 3*testTip),
			payment(t, 1, nonce+1, testTip, 3*testTip)})
	}
	blocks := n.extend(t, lists...)
	system := filters.NewFilterSystem(n.APIBackend(), filters.Config{})
	_, all := overHTTP(t, "eth", newLogs(system, calls.New(calls.Limits{}), true, 1, filterBounds))
	for _, query := range []string{
		`{"fromBlock":"0x1","toBlock":"latest"}`,
		`{"fromBlock":"0x1","toBlock":"latest","address":"%s"}`,
		`{"fromBlock":"0x1","toBlock":"latest","topics":["%s"]}`,
		`{"blockHash":"` + blocks[1].Hash().Hex() + `"}`,
	} {
		var logs []*types.Log
		whole := ask(t, all, "eth_getLogs", `[{"fromBlock":"0x1","toBlock":"latest"}]`)
		err := json.Unmarshal([]byte(whole), &logs)
		must.That(t, err == nil && len(logs) >= 6, "%d logs: %v", len(logs), err)
		if strings.Contains(query, "address") {
			query = fmt.Sprintf(query, logs[0].Address.Hex())
		} else if strings.Contains(query, "topics") {
			query = fmt.Sprintf(query, logs[0].Topics[0].Hex())
		}
		t.Run(query, func(t *testing.T) {
			want := ask(t, all, "eth_getLogs", "["+query+"]")
			must.Do(t, json.Unmarshal([]byte(want), &logs))
			size := 0
			for _, l := range logs {
				size += 465 + 69*len(l.Topics) + 2*len(l.Data)
			}
			public, _ := overHTTP(t, "eth", newLogs(system, calls.New(calls.Limits{}), true, size, filterBounds))
			have := ask(t, public, "eth_getLogs", "["+query+"]")
			expect.That(t, have == want && len(logs) != 0, "at the bound: %s, want %s", have, want)
			public, operator := overHTTP(t, "eth", newLogs(system, calls.New(calls.Limits{}), true, size-1, filterBounds))
			tooLarge := fmt.Sprintf("-32003 the answer would have more than %d bytes: ask for fewer blocks, or for fewer "+
				"addresses and topics", size-1)
			expect.Equal(t, ask(t, public, "eth_getLogs", "["+query+"]"), tooLarge, "above the bound")
			expect.Equal(t, ask(t, operator, "eth_getLogs", "["+query+"]"), want, "the operator")
			id := ask(t, public, "eth_newFilter", "["+query+"]")
			expect.Equal(t, ask(t, public, "eth_getFilterLogs", "["+id+"]"), tooLarge, "eth_getFilterLogs")
			private, _ := overHTTP(t, "eth", newLogs(system, calls.New(calls.Limits{}), false, 1, filterBounds))
			expect.Equal(t, ask(t, private, "eth_getLogs", "["+query+"]"), want, "without the profile")
		})
	}
}

// A public node limits the number of filters of each client, not of the operator. spec: rpc 9.7
func TestNumberOfPublicFilters(t *testing.T) {
	n, _ := startNode(t, Options{})
	system := filters.NewFilterSystem(n.APIBackend(), filters.Config{})
	public, operator := overHTTP(t, "eth", newLogs(system, smallDoor(t, 3*256), true, gethrpc.MaxAnswer,
		filters.Bounds{Items: 10, Bytes: 1000}))
	for i, method := range []string{"eth_newFilter", "eth_newBlockFilter", "eth_newPendingTransactionFilter"} {
		params := "[]"
		if i == 0 {
			params = "[{}]"
		}
		id := ask(t, public, method, params)
		expect.That(t, strings.HasPrefix(id, `"0x`), "%s: %s", method, id)
		expect.Equal(t, ask(t, public, "eth_getFilterChanges", "["+id+"]"), "[]", "%s, polled", method)
	}
	for _, method := range []string{"eth_newBlockFilter", "eth_newPendingTransactionFilter"} {
		have := ask(t, public, method, "[]")
		expect.That(t, strings.HasPrefix(have, "-32005 ") && strings.Contains(have, "filters"), "%s: %s", method, have)
		have = ask(t, operator, method, "[]")
		expect.That(t, strings.HasPrefix(have, `"0x`), "%s of the operator: %s", method, have)
	}
	have := ask(t, public, "eth_newFilter", "[{}]")
	expect.That(t, strings.HasPrefix(have, "-32005 "), "eth_newFilter: %s", have)
	expect.Equal(t, ask(t, public, "eth_getFilterChanges", `["0x1"]`), "-32000 filter not found", "no filter")
}

// A public node returns upstream's content of the pool up to a limit in bytes. The operator gets the full content.
// spec: rpc 9.7
func TestBytesOfPool(t *testing.T) {
	n, client := startNode(t, Options{})
	for _, tx := range []*types.Transaction{payment(t, 1, 0, testTip, 3*testTip), payment(t, 1, 1, testTip, 3*testTip),
		payment(t, 1, 5, testTip, 3*testTip), delegated(t, 2, 1, 0, testTip, 3*testTip)} {
		have := ask(t, client, "eth_sendRawTransaction", toJSON(t, []any{encode(t, tx)}))
		must.That(t, strings.HasPrefix(have, `"0x`), "%v", have)
	}
	for method, params := range map[string]string{
		"txpool_content": "[]", "txpool_inspect": "[]", "txpool_contentFrom": `["` + testAddress(1).Hex() + `"]`,
	} {
		t.Run(method, func(t *testing.T) {
			want := ask(t, client, method, params)
			refused := 0
			for _, most := range []int{1, len(want) / 2, len(want), gethrpc.MaxAnswer} {
				public, operator := overHTTP(t, "txpool", &poolContent{n, most})
				have := ask(t, public, method, params)
				switch {
				case strings.HasPrefix(have, fmt.Sprintf("-32003 the answer would have more than %d bytes: ask ", most)):
					refused++
					expect.That(t, most < len(want), "%d bytes: %s", most, have)
				case have != want || most < len(want):
					t.Errorf("%d bytes: %s, want %s", most, have, want)
				}
				expect.Equal(t, ask(t, operator, method, params), want, "the operator")
			}
			expect.That(t, refused == 2, "refused %d times", refused)
		})
	}
	_, public := startNode(t, Options{Public: true})
	expect.Equal(t, ask(t, public, "txpool_content", "[]"), `{"pending":{},"queued":{}}`, "an empty pool")
}

// A public node bounds the addresses and topics of a client's subscriptions to logs. A subscription that ends makes
// room. spec: rpc 9.7
func TestCriteriaOfSubscriptions(t *testing.T) {
	n, _ := startNode(t, Options{})
	server := gethrpc.NewServer()
	t.Cleanup(server.Stop)
	bounds := filters.Bounds{Items: 10, Bytes: 1000}
	system := filters.NewFilterSystem(n.APIBackend(), filters.Config{})
	must.Do(t, server.RegisterName("eth", newLogs(system, smallDoor(t, 10), true, gethrpc.MaxAnswer, bounds)))
	endpoint := httptest.NewServer(server.WebsocketHandler([]string{"*"}))
	t.Cleanup(endpoint.Close)
	client := must.Get(gethrpc.Dial("ws" + strings.TrimPrefix(endpoint.URL, "http")))(t)
	t.Cleanup(client.Close)
	subscribe := func(addresses int) (*gethrpc.ClientSubscription, error) {
		query := map[string]any{"address": make([]common.Address, addresses)}
		return client.EthSubscribe(t.Context(), make(chan types.Log), "logs", query)
	}
	first := must.Get(subscribe(6))(t)
	var coded gethrpc.Error
	_, err := subscribe(6)
	expect.That(t, errors.As(err, &coded) && coded.ErrorCode() == -32005, "above the bound: %v", err)
	expect.Error(t, expect.Err(subscribe(4)), nil, "up to the bound")
	first.Unsubscribe()
	for tries := 0; ; tries++ { // the node notices the end in the background
		_, err := subscribe(6)
		if err == nil {
			break
		}
		must.That(t, tries != 1000, "a subscription that ended makes no room: %v", err)
	}
}

// small is a door with other bounds of filters and their addresses and topics.
type small struct {
	gethrpc.Door
	criteria *door.Account
}

// smallDoor makes one the door of the process for a test.
func smallDoor(t *testing.T, criteria int) small {
	t.Helper()
	d := small{calls.New(calls.Limits{}), door.NewAccount(door.Bound{Own: criteria, Sum: 2 * criteria})}
	gethrpc.SetDoor(d)
	t.Cleanup(func() { gethrpc.SetDoor(nil) })
	return d
}

func (s small) Share(of gethrpc.Resource, owner gethrpc.Owner, evict func()) gethrpc.Share {
	if of == gethrpc.Criteria {
		return s.criteria.Share(owner, evict)
	}
	return s.Door.Share(of, owner, evict)
}
