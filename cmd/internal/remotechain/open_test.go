// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package remotechain

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gethparams "github.com/ethereum/go-ethereum/params"
	"github.com/urfave/cli/v2"

	"gwon/consensus/finality"
	"gwon/consensus/finality/remotestate"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/params"
)

// open runs Open with flags.
func open(t *testing.T, args ...string) (c *Chain, err error) {
	t.Helper()
	app := &cli.App{Flags: Fork.Flags(), Action: func(ctx *cli.Context) (err error) {
		if name := Fork.Needless(ctx); name != "" {
			return fmt.Errorf("needless %s", name)
		}
		c, err = Fork.OpenAt(ctx, ctx.StringSlice(Fork.URL), 0, Fork.Cache(ctx), remotestate.Options{}, ReadRules)
		if err == nil {
			t.Cleanup(func() { expect.Error(t, c.Reader.Close(), nil, "c.Reader.Close") })
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
				expect.Says(t, err, step.want, "refusal")
				return
			}
			must.Do(t, err)
			if want := "0x2bdf79b3d3cc49f9e6638ff81f3bb85065c79945a8fe4556cd0ff47bbfc02490"; c.Reader.Genesis().Hex() != want ||
				c.Config.ChainID.Uint64() != 8283 {
				t.Errorf("chain %v with genesis %v", c.Config.ChainID, c.Reader.Genesis())
			}
		})
	}
	c := must.Get(open(t, "--fork.cache", cache, "--fork", endpoint))(t)
	kept := c.Explain(&remotestate.LieError{Field: "origin"}).Error()
	file, err := filepath.Glob(filepath.Join(cache, "network-*"))
	must.That(t, err == nil && len(file) == 1, "%v %v", file, err)
	want := "is read as testnet by " + file[0]
	expect.That(t, strings.Contains(kept, want), "%s, want %s in it", kept, want)
	must.Do(t, os.WriteFile(file[0], []byte("8282"), 0o600))
	_, err = open(t, "--fork.cache", cache, "--fork", endpoint)
	expect.Says(t, err, "damaged", "refusal")
}

// zero trusts a block 0.
const zero = "0:0x0100000000000000000000000000000000000000000000000000000000000000"

func genesisFile(t *testing.T, config *gethparams.ChainConfig) string {
	t.Helper()
	text := must.Get(json.Marshal(map[string]any{"config": config}))(t)
	file := filepath.Join(t.TempDir(), "genesis.json")
	must.Do(t, os.WriteFile(file, text, 0o600))
	return file
}

// A program that makes no genesis block takes its hash from the user, and its rules from the file.
func TestCheckpointNamesGenesis(t *testing.T) {
	c, err := open(t, "--fork", endpoint, "--fork.genesis", genesisFile(t, params.Testnet()), "--fork.checkpoint", zero,
		"--fork.cache", t.TempDir())
	must.Do(t, err)
	if "0:"+c.Reader.Genesis().Hex() != zero || c.Config.ChainID.Uint64() != 8283 {
		t.Errorf("chain %v with genesis %v", c.Config.ChainID, c.Reader.Genesis())
	}
}

func TestRefusals(t *testing.T) {
	for _, test := range []struct {
		name, want string
		args       []string
	}{
		{"no URL", "no URL of http or https", []string{"--fork", "testnet", "--fork.network", "testnet"}},
		{"no file", "--fork.genesis", []string{"--fork", endpoint, "--fork.genesis", "missing.json"}},
		{"rules without a trusted block", "--fork.checkpoint NUMBER:HASH", []string{
			"--fork", endpoint, "--fork.genesis", genesisFile(t, params.Testnet()),
		}},
		{"a genesis file of another kind of chain", "section \"anzeon\"", []string{
			"--fork", endpoint, "--fork.genesis", genesisFile(t, gethparams.MainnetChainConfig), "--fork.checkpoint", zero,
		}},
		{"a checkpoint without a hash", "NUMBER:HASH", []string{"--fork", endpoint, "--fork.checkpoint", "7"}},
		{"a checkpoint with half a hash", "NUMBER:HASH", []string{"--fork", endpoint, "--fork.checkpoint", "7:0x12"}},
		{"a checkpoint without a network", "needless fork.checkpoint", []string{"--fork.checkpoint", "7:0x12"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := open(t, append(test.args, "--fork.cache", t.TempDir())...)
			if test.args[0] != "--fork" { // the cache is one of those flags too
				_, err = open(t, test.args...)
			}
			expect.Says(t, err, test.want, "refusal")
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
