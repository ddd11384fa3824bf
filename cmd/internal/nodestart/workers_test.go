// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package nodestart

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"testing"

	gethrpc "github.com/ethereum/go-ethereum/rpc"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/apptest"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/start"
)

// A node bounds the long calls that run at the same time, before it serves any.
func TestNodeHasWorkers(t *testing.T) {
	data := t.TempDir()
	must.Get(run(t, "init", "--datadir", data, apptest.PrivateGenesis(t)))(t)
	t.Cleanup(func() { gethrpc.SetDoor(nil) })
	fault := errors.New("fault")
	err := withFlags(t, func(ctx *cli.Context) error {
		s := &nodeStart{ctx: ctx, Options: Options{Adopt: adoptNothing, Register: registerNothing}, running: new(Running)}
		steps := s.steps()
		i := slices.IndexFunc(steps, func(step start.Step) bool { return step.Name == "serve chain" })
		steps[i].Run = func(*start.Closers) error { return fault }
		return start.Run(steps, &s.running.closers)
	}, "--datadir", data)
	must.That(t, errors.Is(err, fault), "error %v, want that of the last step", err)
	want := max(1, runtime.GOMAXPROCS(0)/2)
	expect.Equal(t, callsWithWorkers(t, 2*want), want, "long calls run at the same time")
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
	call = gethrpc.Gated(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_ = gethrpc.RunCall(r.Context(), "eth_getProof", nil, func(context.Context) { // refused when it has to wait
			if running++; running < most {
				next()
			}
		})
	}))
	next()
	return running
}
