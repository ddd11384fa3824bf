// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package remotechain

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"gwon/consensus/finality"
	"gwon/consensus/finality/remotestate"
	"gwon/internal/must"
)

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

// endpoint is never asked which network it serves: nothing answers there.
const endpoint = "http://127.0.0.1:1"

// The user names the network once. The directory keeps it for the endpoint, which chooses nothing, and for no other.
func TestNetworkIsPinned(t *testing.T) {
	cache := filepath.Join(t.TempDir(), "forks")
	for _, step := range []struct {
		name string
		args []string
		want string // in the error
	}{
		{"first start without a name", nil, "--fork.network"},
		{"first start", []string{"--fork.network", "testnet"}, ""},
		{"later start", nil, ""},
		{"the same name", []string{"--fork.network", "testnet"}, ""},
		{"another name", []string{"--fork.network", "mainnet"}, "was read as testnet before"},
		{"no network", []string{"--fork.network", "devnet"}, "no public network"},
		{"another endpoint", []string{"--fork", "http://127.0.0.1:2"}, "--fork.network"},
	} {
		t.Run(step.name, func(t *testing.T) {
			args := append([]string{"--fork.cache", cache}, step.args...)
			if !strings.Contains(step.want, "--fork.network") || step.args == nil {
				args = append(args, "--fork", endpoint)
			}
			c, err := open(t, args...)
			if step.want != "" {
				if err == nil || !strings.Contains(err.Error(), step.want) {
					t.Errorf("%v, want %s in it", err, step.want)
				}
				return
			}
			must.Do(t, err)
			if want := "0x2bdf79b3d3cc49f9e6638ff81f3bb85065c79945a8fe4556cd0ff47bbfc02490"; c.Header.Hash().Hex() != want ||
				c.Config.ChainID.Uint64() != 8283 {
				t.Errorf("chain %v with genesis %v", c.Config.ChainID, c.Header.Hash())
			}
		})
	}
	file, err := filepath.Glob(filepath.Join(cache, "network-*"))
	if err != nil || len(file) != 1 {
		t.Fatal(file, err)
	}
	must.Do(t, os.WriteFile(file[0], []byte("8282"), 0o600))
	_, err = open(t, "--fork.cache", cache, "--fork", endpoint)
	if err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Error(err)
	}
}

func TestRefusals(t *testing.T) {
	for _, test := range []struct {
		name, want string
		args       []string
	}{
		{"no URL", "no URL of http or https", []string{"--fork", "testnet", "--fork.network", "testnet"}},
		{"no file", "--fork.genesis", []string{"--fork", endpoint, "--fork.genesis", "missing.json"}},
		{"a checkpoint without a hash", "NUMBER:HASH", []string{"--fork", endpoint, "--fork.checkpoint", "7"}},
		{"a checkpoint with half a hash", "NUMBER:HASH", []string{"--fork", endpoint, "--fork.checkpoint", "7:0x12"}},
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
