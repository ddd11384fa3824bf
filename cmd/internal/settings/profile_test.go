// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package settings

import (
	"slices"
	"testing"

	"github.com/urfave/cli/v2"

	"gwon/internal/expect"
)

// The explorer profile opens four namespaces more, and needs the states of all blocks.
// spec: rpc 9.7
func TestExplorerProfile(t *testing.T) {
	for _, test := range []struct {
		name string
		args []string
		want string // part of the error, empty for none
	}{
		{"archive", []string{"--gcmode", "archive"}, ""},
		{"no archive", nil, "add --gcmode archive"},
		{"pruned", []string{"--gcmode", "full"}, "add --gcmode archive"},
		{"keys", []string{"--gcmode", "archive", "--unlock", "0"}, "--unlock cannot be combined"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := withFlags(t, func(ctx *cli.Context) error {
				cfg, _, err := Load(ctx)
				if err != nil {
					return err
				}
				options, err := cfg.ApplyProfile(ctx)
				if err != nil {
					return err
				}
				want := []string{"eth", "net", "web3", "txpool", "istanbul", "debug", "trace", "ots", "erigon"}
				expect.That(t, slices.Equal(cfg.Node.HTTPModules, want) && slices.Equal(cfg.Node.WSModules, want) && options.Public,
					"modules %v and %v, options %+v", cfg.Node.HTTPModules, cfg.Node.WSModules, options)
				return nil
			}, append([]string{"--rpc.profile", "explorer"}, test.args...)...)
			expect.Ends(t, err, test.want, "the error")
		})
	}
}

// The public profile fixes modules and keeps keys away; it wants to know where it is reached (spec rpc 9.7).
func TestPublicProfile(t *testing.T) {
	for _, test := range []struct {
		name string
		args []string
		want string // part of the error, empty for none
	}{
		{"loopback", []string{"--rpc.profile", "public"}, ""},
		{"named host",
			[]string{"--rpc.profile", "public", "--http", "--http.addr", "0.0.0.0", "--http.vhosts", "rpc.example.org"}, ""},
		{"host without name", []string{"--rpc.profile", "public", "--http", "--http.addr", "0.0.0.0"}, "needs --http.vhosts"},
		{"own modules", []string{"--rpc.profile", "public", "--http.api", "eth,admin"}, "--http.api cannot be combined"},
		{"modules of WebSocket", []string{"--rpc.profile", "public", "--ws", "--ws.api", "debug"},
			"--ws.api cannot be combined"},
		{"browsers anywhere", []string{"--rpc.profile", "public", "--http.corsdomain", "*", "--ws", "--ws.origins", "*"}, ""},
		{"proxies", []string{"--rpc.profile", "public", "--rpc.trustedproxies", "10.0.0.0/8, ::1"}, ""},
		{"no proxies", []string{"--rpc.profile", "public", "--rpc.trustedproxies", "proxy.example.org"},
			"give addresses or CIDR networks"},
		{"negative rate", []string{"--rpc.profile", "public", "--rpc.client.rate", "-1"}, "give 0, for no bound"},
		{"rate without profile", []string{"--rpc.client.rate", "10"}, "--rpc.client.rate goes with --rpc.profile"},
		{"unlocked keys", []string{"--rpc.profile", "public", "--unlock", "0"}, "--unlock cannot be combined"},
		{"personal", []string{"--rpc.profile", "operator", "--rpc.enabledeprecatedpersonal"}, "cannot be combined"},
		{"unknown", []string{"--rpc.profile", "private"}, `not "private"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := withFlags(t, func(ctx *cli.Context) error {
				cfg, _, err := Load(ctx)
				if err != nil {
					return err
				}
				options, err := cfg.ApplyProfile(ctx)
				if err != nil {
					return err
				}
				if _, err := cfg.Door(); err != nil {
					return err
				}
				want := []string{"eth", "net", "web3", "txpool", "istanbul"}
				expect.That(t, slices.Equal(cfg.Node.HTTPModules, want) && slices.Equal(cfg.Node.WSModules, want),
					"modules %v and %v, want %v", cfg.Node.HTTPModules, cfg.Node.WSModules, want)
				limited := cfg.Eth.RangeLimit == 10_000
				keyless := options.Public && !options.Personal
				if cfg.Node.HTTPHost == "" || (cfg.Node.WSHost != "") != ctx.Bool("ws") || !limited || !keyless {
					t.Errorf("HTTP %q, WebSocket %q, log range %d, options %+v", cfg.Node.HTTPHost, cfg.Node.WSHost,
						cfg.Eth.RangeLimit, options)
				}
				return nil
			}, test.args...)
			expect.Ends(t, err, test.want, "the error")
		})
	}
}
