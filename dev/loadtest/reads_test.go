// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package loadtest

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// library answers the reads of a run. One call at a time, and the one with number stopAt takes a second.
type library struct {
	turn   chan struct{} // a mutex that simulated time does not wait for
	calls  map[string]int
	stopAt int
	failed string // method that is refused
	null   string // method that answers null
}

func (l *library) answer(method string) (any, error) {
	l.turn <- struct{}{}
	defer func() { <-l.turn }()
	n := 0
	for _, count := range l.calls {
		n += count
	}
	if l.calls[method]++; n+1 == l.stopAt {
		time.Sleep(time.Second)
	}
	if method == l.failed {
		return nil, errors.New("no such thing")
	}
	if method == l.null {
		return nil, nil
	}
	return "0x1", nil
}

func (l *library) BlockNumber() (any, error)                      { return l.answer("eth_blockNumber") }
func (l *library) GasPrice() (any, error)                         { return l.answer("eth_gasPrice") }
func (l *library) GetBalance(common.Address, string) (any, error) { return l.answer("eth_getBalance") }
func (l *library) EstimateGas(map[string]any) (any, error)        { return l.answer("eth_estimateGas") }
func (l *library) GetTransactionReceipt(common.Hash) (any, error) {
	return l.answer("eth_getTransactionReceipt")
}
func (l *library) GetTransactionByHash(common.Hash) (any, error) {
	return l.answer("eth_getTransactionByHash")
}
func (l *library) GetBlockByNumber(hexutil.Uint64, bool) (any, error) {
	return l.answer("eth_getBlockByNumber")
}

func (l *library) GetTransactionCount(_ common.Address, block string) (any, error) {
	if block != "pending" {
		return nil, errors.New("want the next nonce")
	}
	return l.answer("eth_getTransactionCount")
}

func (l *library) Call(args map[string]any, _ string) (any, error) {
	if input, _ := args["input"].(string); len(input) != 2+2*36 {
		return nil, errors.New("want balanceOf of one account")
	}
	return l.answer("eth_call")
}

func (l *library) GetLogs(filter struct {
	FromBlock, ToBlock hexutil.Uint64
	Topics             []*common.Hash
}) (any, error) {
	if filter.ToBlock-filter.FromBlock >= logsOfBlocks || len(filter.Topics) != 2 || filter.Topics[1] == nil {
		return nil, errors.New("want the logs of one account in some blocks")
	}
	return l.answer("eth_getLogs")
}

// readFrom sends reads to a library in simulated time.
func readFrom(t *testing.T, l *library, rate float64, count int) *Reads {
	t.Helper()
	l.calls, l.turn = make(map[string]int), make(chan struct{}, 1)
	server := gethrpc.NewServer()
	defer server.Stop()
	must.Do(t, server.RegisterName("eth", l))
	client := gethrpc.DialInProc(server)
	defer client.Close()
	r := &reader{rate: rate, clients: []*gethrpc.Client{client}, schemes: []string{"ipc"}, workers: 4,
		targets: targets{make([]common.Address, 3), make([]common.Hash, 3), []uint64{3, 500}}, reads: make([]read, count)}
	r.run(t.Context(), time.Now())
	return r.conclude()
}

// A node that stops for a second delays every read that falls into this second, not only those that are under way.
func TestReadsCountFromTheirSchedule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &library{stopAt: 101}
		rep := readFrom(t, l, 100, 1000)
		expect.That(t, rep.Count == 1000 && rep.Failed == 0, "%d reads, %v", rep.Count, rep.Errors)
		// A hundred reads wait for 1 to 0 s, in equal steps: the tenth part of all.
		if rep.Time.P50 != 0 || rep.Time.P95 < 0.4 || rep.Time.P95 > 0.6 || rep.Time.P99 < 0.8 || rep.Time.Max != 1 {
			t.Errorf("times %+v", rep.Time)
		}
		expect.That(t, rep.Late.Max >= 0.9, "sent late %+v: the workers are all busy for a second", rep.Late)
	})
}

// The ten methods have a line each, with what failed.
func TestReadsByMethod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &library{failed: "eth_getTransactionReceipt", null: "eth_getBlockByNumber"}
		rep := readFrom(t, l, 1000, 50)
		must.That(t, len(rep.Methods) == 10 && rep.Failed == 10 && rep.Errors["-32000 no such thing"] == 5, "%+v", rep)
		for _, m := range rep.Methods {
			want := map[string]int{l.failed: 5, l.null: 5}[m.Method]
			expect.That(t, m.Failed == want && m.Count == 5 && l.calls[m.Method] == 5,
				"%s: %+v, the node has seen %d", m.Method, m, l.calls[m.Method])
		}
	})
}

// Reads alone need neither coins nor transactions, but a chain that has had some.
func TestOnlyReads(t *testing.T) {
	node := new(fakeNode)
	o := options(t, serve(t, node))
	reads := Options{Endpoints: o.Endpoints, Duration: 100 * time.Millisecond, ReadRate: 100, Senders: 1, Workers: 2,
		Kind: Transfer}
	expect.Says(t, expect.Err(Run(t.Context(), reads)), "no transactions to read", "on an empty chain")
	must.Get(Run(t.Context(), o))(t)
	rep := must.Get(Run(t.Context(), reads))(t)
	must.That(t, rep.Offered == 0 && rep.Reads != nil && rep.Reads.Count == 10 && rep.Reads.Methods[0].Transport == "http",
		"%+v, reads %+v", rep, rep.Reads)
	var table strings.Builder
	err := rep.WriteTable(&table)
	expect.That(t, err == nil && strings.Contains(table.String(), "http eth_getLogs") &&
		!strings.Contains(table.String(), "offered"), "%v\n%s", err, table.String())
}

func TestTransportsByEndpoint(t *testing.T) {
	for endpoint, want := range map[string]string{
		"http://a:1": "http", "https://a": "http", "ws://a:1": "ws", "wss://a": "ws", "/tmp/gwon.ipc": "ipc",
	} {
		expect.Equal(t, schemeOf(endpoint), want, "%s", endpoint)
	}
}
