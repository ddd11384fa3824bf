// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package light

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/consensus/finality/remotestate/remotetest"
)

// An endpoint bounds the long calls that run at the same time.
func TestEndpointHasWorkers(t *testing.T) {
	gethrpc.SetWorkers(nil)
	e, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		e.Stop()
		gethrpc.SetWorkers(nil)
		gethrpc.SetGate(nil)
	})
	gethrpc.SetGate(nil) // which refuses methods that are not served
	want := max(1, runtime.GOMAXPROCS(0)-1)
	if running := callsWithWorkers(t, 2*want); running != want {
		t.Errorf("%d long calls run at the same time, want %d", running, want)
	}
}

// callsWithWorkers returns how many long calls of different clients run at the same time when one more finds no worker,
// or most if all of them run.
func callsWithWorkers(t *testing.T, most int) (running int) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // a call that has to wait is refused
	var call http.Handler
	next := func() {
		request := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", nil)
		request.RemoteAddr = fmt.Sprintf("127.0.0.1:%d", running+1)
		call.ServeHTTP(httptest.NewRecorder(), request)
	}
	call = gethrpc.AsCall("eth_getProof", 1, func(http.ResponseWriter, error) {},
		http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			if running++; running < most {
				next()
			}
		}))
	next()
	return running
}

// No answer to a caller shows more of an endpoint than scheme and host.
func TestEndpointsAreHidden(t *testing.T) {
	c := remotetest.New(t, 1337)
	c.Grow(t, logOf(shop, 1))
	node := c.Serve(t, nil)
	node.URL = strings.Replace(node.URL, "://", "://carol:hunter22@", 1) + "/v2/PATHKEY?apikey=QUERYKEY"
	e, client := openLight(t, c, node)
	node.Lie(func(string, any) any { panic(http.ErrAbortHandler) })
	c.Grow(t, logOf(shop, 1))
	texts := []string{fmt.Sprint(e.Advance(t.Context()))}
	for method, args := range map[string][]any{
		"eth_getBalance": {shop, "latest"}, "eth_call": {map[string]any{"to": shop}, "latest"},
		"eth_getLogs": {map[string]any{}}, "eth_estimateGas": {map[string]any{"to": shop}},
		"eth_getTransactionReceipt": {common.Hash{1}}, "eth_getBlockByNumber": {"latest", true},
	} {
		err := client.CallContext(t.Context(), new(any), method, args...)
		if err == nil {
			t.Errorf("%s has an answer", method)
		}
		texts = append(texts, fmt.Sprint(err))
	}
	all := strings.Join(texts, "\n")
	for _, secret := range []string{"carol", "hunter22", "PATHKEY", "QUERYKEY"} {
		if strings.Contains(all, secret) || !strings.Contains(all, "http://127.0.0.1") {
			t.Errorf("%s is shown, or no host: %s", secret, all)
		}
	}
}
