// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"fmt"
	"math/big"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/core/types"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// loop is code that uses all gas that it gets.
const loop = "0x5b5f56"

// Each method that executes transactions ends at its deadline as a whole, whatever the transport, and says so as
// go-ethereum does. spec: rpc 2.5
func TestDearCallsEndAtDeadline(t *testing.T) {
	n, inProcess := startNode(t, Options{})
	tx := must.Get(types.SignNewTx(testKey(1), types.NewLondonSigner(big.NewInt(8283)), &types.DynamicFeeTx{
		ChainID: big.NewInt(8283), GasTipCap: big.NewInt(testTip), GasFeeCap: big.NewInt(3 * testTip), Gas: 50_000_000,
		Data: []byte{0x5b, 0x5f, 0x56},
	}))(t)
	n.extend(t, []*types.Transaction{tx})
	handler := must.Get(n.stack.RPCHandler())(t)
	dial := func(endpoint *httptest.Server, scheme string) *gethrpc.Client {
		t.Cleanup(endpoint.Close)
		client := must.Get(gethrpc.Dial(scheme + strings.TrimPrefix(endpoint.URL, "http")))(t)
		t.Cleanup(client.Close)
		return client
	}
	call := fmt.Sprintf(`{"from":"%v","data":"%s"}`, testAddress(1), loop)
	gethrpc.SetCallTime(time.Millisecond) // far less than 50 million gas take
	t.Cleanup(func() { gethrpc.SetCallTime(0) })
	for name, client := range map[string]*gethrpc.Client{
		"in process": inProcess,
		"HTTP":       dial(httptest.NewServer(handler), "http"),
		"WebSocket":  dial(httptest.NewServer(handler.WebsocketHandler([]string{"*"})), "ws"),
	} {
		t.Run(name, func(t *testing.T) {
			for _, c := range []struct{ method, params string }{
				{"eth_call", "[" + call + `,"latest"]`},
				{"eth_estimateGas", "[" + call + "]"},
				{"eth_createAccessList", "[" + call + "]"},
				{"eth_simulateV1", `[{"blockStateCalls":[{"calls":[` + call + `]}]}]`},
				{"eth_fillTransaction", "[" + call + "]"},
				{"debug_traceCall", "[" + call + `,"latest"]`},
				{"debug_traceTransaction", fmt.Sprintf(`["%v",{"tracer":"callTracer"}]`, tx.Hash())},
				{"debug_traceBlockByNumber", `["0x1",{"tracer":"callTracer"}]`},
			} {
				t.Run(c.method, func(t *testing.T) {
					expect.Equal(t, ask(t, client, c.method, c.params), "-32002 execution aborted (timeout = 1ms)", "answered")
				})
			}
		})
	}
	t.Run("trace with a time of its own", func(t *testing.T) {
		params := fmt.Sprintf(`["%v",{"tracer":"callTracer","timeout":"1m"}]`, tx.Hash())
		got := ask(t, inProcess, "debug_traceTransaction", params)
		expect.Contains(t, got, `"error":"out of gas"`, "answered")
	})
	t.Run("other methods", func(t *testing.T) {
		expect.Equal(t, ask(t, inProcess, "eth_blockNumber", "[]"), `"0x1"`, "answered")
	})
}
