// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package light

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"

	gethrpc "github.com/ethereum/go-ethereum/rpc"
)

// An endpoint bounds the long calls that run at the same time.
func TestEndpointHasWorkers(t *testing.T) {
	e, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		e.Stop()
		gethrpc.SetDoor(nil)
	})
	gethrpc.SetDoor(nil) // which refuses methods that are not served
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
