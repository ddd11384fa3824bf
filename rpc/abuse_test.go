// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package rpc

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"
	"time"

	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/door/calls"
	"gwon/internal/must"
)

// dear is code that fails below 49 million gas, and otherwise runs until a million is left: an estimate executes it
// some twenty times.
const dear = "0x5a6302ebae40116015575b5a620f424010600a57005bfe"

// Eight addresses with the dearest gas estimates do not keep the short calls of another one from their answers.
// spec: rpc 9.6
func TestDearEstimatesDoNotStopOthers(t *testing.T) {
	if testing.Short() {
		t.Skip("judges waiting times, which the race detector multiplies")
	}
	n, _ := startNode(t, Options{})
	handler := must.Get(n.stack.RPCHandler())(t)
	gethrpc.SetDoor(calls.New(calls.Limits{Rate: 500, InFlight: 64, Proxies: []netip.Prefix{
		netip.MustParsePrefix("127.0.0.0/8"),
	}}))
	gethrpc.SetCallTime(5 * time.Second)
	t.Cleanup(func() {
		gethrpc.SetDoor(nil)
		gethrpc.SetCallTime(0)
	})
	endpoint := httptest.NewServer(gethrpc.Gated(handler))
	t.Cleanup(endpoint.Close)
	dial := func(address string) *gethrpc.Client {
		client := must.Get(gethrpc.DialOptions(t.Context(), endpoint.URL,
			gethrpc.WithHeaders(http.Header{"X-Forwarded-For": {address}})))(t)
		t.Cleanup(client.Close)
		return client
	}
	ctx, stop := context.WithCancel(t.Context())
	var attackers sync.WaitGroup
	call := map[string]any{"from": testAddress(1), "data": dear}
	for i := range 8 {
		client := dial(fmt.Sprintf("203.0.113.%d", i+1))
		for range 2 {
			attackers.Go(func() {
				for ctx.Err() == nil {
					var gas any
					_ = client.CallContext(ctx, &gas, "eth_estimateGas", call) // refused when the units are used up
				}
			})
		}
	}
	honest := dial("198.51.100.7")
	for range 20 {
		var result any
		if err := honest.Call(&result, "eth_call", map[string]any{"to": testAddress(2)}, "latest"); err != nil {
			t.Errorf("an honest call: %v", err)
			break
		}
	}
	stop()
	attackers.Wait()
}
