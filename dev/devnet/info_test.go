// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devnet

import (
	"context"
	"net"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common/hexutil"
	gethrpc "github.com/ethereum/go-ethereum/rpc"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// A validator whose process somebody started by hand counts as one that runs, and is told apart.
func TestStates(t *testing.T) {
	network := prepare(t, options(t.TempDir()))
	endpoint := gethrpc.NewServer()
	defer endpoint.Stop()
	must.Do(t, endpoint.RegisterName("eth", heads{}))
	server := httptest.NewServer(endpoint)
	defer server.Close()
	network.Nodes[1].HTTPPort = server.Listener.Addr().(*net.TCPAddr).Port
	f := &fleet{network: network, requests: make(chan func())}
	f.running = map[*Node]*Process{network.Nodes[0]: {Node: network.Nodes[0]}}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for {
			select {
			case request := <-f.requests:
				request()
			case <-ctx.Done():
				return
			}
		}
	}()
	states := must.Get((&Control{f, ctx}).States())(t)
	for i, want := range []NodeState{{Running: true}, {Foreign: true}, {}} {
		expect.That(t, states[i].Running == want.Running && states[i].Foreign == want.Foreign,
			"%s: %+v, want %+v", states[i].Name, states[i], want)
	}
	var text strings.Builder
	must.Do(t, WriteStates(&text, states))
	lines := strings.Split(text.String(), "\n")
	for i, want := range map[int]string{
		0: "2 of 3 validators run", 3: "running", 4: "the devnet did not start its process", 5: "stopped",
	} {
		expect.Contains(t, lines[i], want, "line %d in it", i)
	}
}

type heads struct{}

func (heads) BlockNumber() hexutil.Uint64 { return 7 }

// The description has the private keys unless it names the command that shows them.
func TestDescriptionWithoutKeys(t *testing.T) {
	network := prepare(t, options(t.TempDir()))
	info := network.Info(nil)
	for _, keys := range []string{"", "gwon-dev devnet status --keys"} {
		var text strings.Builder
		must.Do(t, info.WriteText(&text, Hints{Keys: keys}))
		for _, a := range info.Accounts {
			expect.That(t, strings.Contains(text.String(), a.PrivateKey) == (keys == ""),
				"with the command %q:\n%s", keys, text.String())
		}
		expect.That(t, strings.Contains(text.String(), keys) && strings.Contains(text.String(), info.RPC),
			"the command %q or the endpoint is missing:\n%s", keys, text.String())
	}
}
