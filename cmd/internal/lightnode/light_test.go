// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package lightnode

import (
	"net"
	"strconv"
	"testing"

	"github.com/urfave/cli/v2"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// What cannot work is said before anything is answered, with the flag that helps.
func TestRefusals(t *testing.T) {
	busy := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { expect.Error(t, busy.Close(), nil, "busy.Close") })
	port := strconv.Itoa(busy.Addr().(*net.TCPAddr).Port)
	for _, test := range []struct {
		name, want string
		args       []string
	}{
		{"no endpoint", "--rpc URL", nil},
		{"no URL", "no URL of http or https", []string{"--rpc", "testnet", "--network", "testnet"}},
		{"no network", "an endpoint does not choose the network", []string{"--rpc", "http://127.0.0.1:1"}},
		{"every address", "an address of this machine only",
			[]string{"--rpc", "http://127.0.0.1:1", "--network", "testnet", "--http.addr", "0.0.0.0"}},
		{"a port in use", "--http.port",
			[]string{"--rpc", "http://127.0.0.1:1", "--network", "testnet", "--http.port", port}},
		{"half a checkpoint", "--checkpoint",
			[]string{"--rpc", "http://127.0.0.1:1", "--network", "testnet", "--checkpoint", "7"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			app := &cli.App{Name: "gwon-dev", Commands: []*cli.Command{Command}}
			args := append([]string{"gwon-dev", "light", "--datadir", t.TempDir(), "--http.port", "0"}, test.args...)
			expect.Says(t, app.RunContext(t.Context(), args), test.want, "refusal")
		})
	}
}
