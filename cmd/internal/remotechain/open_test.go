// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package remotechain

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"gwon/consensus/finality"
	"gwon/consensus/finality/remotestate"
)

// node answers eth_chainId.
func node(t *testing.T, chainID string) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":1,"result":%q}`, chainID)
	}))
	t.Cleanup(server.Close)
	return server
}

// open runs Open with flags.
func open(t *testing.T, args ...string) (c *Chain, err error) {
	t.Helper()
	app := &cli.App{Flags: Fork.Flags(), Action: func(ctx *cli.Context) (err error) {
		if name := Fork.Needless(ctx); name != "" {
			return fmt.Errorf("needless %s", name)
		}
		if c, err = Fork.Open(ctx, remotestate.Options{}); err == nil {
			t.Cleanup(func() {
				if err := c.Reader.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		return err
	}}
	err = app.RunContext(t.Context(), append([]string{"test"}, args...))
	return c, err
}

// The genesis of a public network is found by the chain ID of an endpoint, and without the network by what it was.
func TestPublicNetworkIsFound(t *testing.T) {
	server, cache := node(t, "0x205b"), filepath.Join(t.TempDir(), "forks")
	for _, step := range []string{"with the network", "without the network"} {
		c, err := open(t, "--fork", server.URL, "--fork.cache", cache)
		if err != nil {
			t.Fatalf("%s: %v", step, err)
		}
		if want := "0x2bdf79b3d3cc49f9e6638ff81f3bb85065c79945a8fe4556cd0ff47bbfc02490"; c.Header.Hash().Hex() != want ||
			c.Config.ChainID.Uint64() != 8283 {
			t.Errorf("%s: chain %v with genesis %v", step, c.Config.ChainID, c.Header.Hash())
		}
		server.Close()
	}
}

func TestRefusals(t *testing.T) {
	private := node(t, "0x7")
	for _, test := range []struct {
		name, want string
		args       []string
	}{
		{"a private network", "--fork.genesis", []string{"--fork", private.URL}},
		{"no network", "no endpoint answers", []string{"--fork", "http://127.0.0.1:1"}},
		{"no URL", "no URL of http or https", []string{"--fork", "testnet"}},
		{"no file", "--fork.genesis", []string{"--fork", private.URL, "--fork.genesis", "missing.json"}},
		{"a checkpoint without a hash", "NUMBER:HASH", []string{"--fork", private.URL, "--fork.checkpoint", "7"}},
		{"a checkpoint with half a hash", "NUMBER:HASH", []string{"--fork", private.URL, "--fork.checkpoint", "7:0x12"}},
		{"a checkpoint without a network", "needless fork.checkpoint", []string{"--fork.checkpoint", "7:0x12"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := open(t, append(test.args, "--fork.cache", t.TempDir())...)
			if test.args[0] != "--fork" { // the cache is one of those flags too
				_, err = open(t, test.args...)
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %s in it", err, test.want)
			}
		})
	}
}

func TestErrorsNameTheFlag(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{{remotestate.ErrOld, "--fork.trust-genesis"}, {finality.ErrTrust, "--fork.genesis"}} {
		if err := Fork.Explain(test.err); !errors.Is(err, test.err) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %s in it", err, test.want)
		}
	}
}
