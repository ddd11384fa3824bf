// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package testnode

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/params"
)

// Flags that mean nothing together are refused, with what to do instead.
func TestForkFlags(t *testing.T) {
	for _, test := range []struct {
		name, want string
		args       []string
	}{
		{"alone", "", []string{"--fork", "http://127.0.0.1:1"}},
		{"none", "", nil},
		{"a block without a network", "--fork.block says how a network is continued", []string{"--fork.block", "7"}},
		{"a file without a network", "--fork.prefetch", []string{"--fork.prefetch", "x"}},
		{"trust without a network", "--fork.trust-genesis", []string{"--fork.trust-genesis"}},
		{"a directory", "--state has no meaning with --fork", []string{"--fork", "x", "--state", "y"}},
		{"an allocation", "evm_setBalance", []string{"--fork", "x", "--alloc", "y"}},
		{"contracts", "the network brings its contracts", []string{"--fork", "x", "--contracts", "g1"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			app := &cli.App{Flags: OwnFlags, Action: checkForkFlags}
			err := app.RunContext(t.Context(), append([]string{"test"}, test.args...))
			if (err == nil) != (test.want == "") || (err != nil && !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%v, want %q in it", err, test.want)
			}
		})
	}
}

// The rules stay those of the network, and its own copy stays as it is.
func TestForkedConfig(t *testing.T) {
	network := params.Testnet()
	for _, test := range []struct {
		args []string
		want uint64
	}{{nil, params.TestnetChainID}, {[]string{"--dev.chainid", "77"}, 77}} {
		app := &cli.App{Flags: OwnFlags, Action: func(ctx *cli.Context) error {
			config, err := forkedConfig(ctx, network)
			if err == nil && (config.ChainID.Uint64() != test.want ||
				config.Anzeon.WBFT.EpochLength != network.Anzeon.WBFT.EpochLength) {
				t.Errorf("chain %v with epochs of %d", config.ChainID, config.Anzeon.WBFT.EpochLength)
			}
			return err
		}}
		must.Do(t, app.RunContext(t.Context(), append([]string{"test"}, test.args...)))
	}
	expect.That(t, network.ChainID.Uint64() == params.TestnetChainID,
		"the configuration of the network has chain %v now", network.ChainID)
}

func TestPrefetchFileIsChecked(t *testing.T) {
	file := filepath.Join(t.TempDir(), "accounts")
	must.Do(t, os.WriteFile(file, []byte("# members\n\n0x12\n"), 0o600))
	expect.Says(t, prefetch(t.Context(), nil, file), "line 3", "prefetch")
	expect.Says(t, prefetch(t.Context(), nil, file+"x"), "--fork.prefetch", "a missing file")
	expect.Error(t, prefetch(t.Context(), nil, ""), nil, "prefetch")
}
