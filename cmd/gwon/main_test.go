// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/network"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/consensus/wbft"
	"gwon/internal/expect"
	"gwon/internal/must"

	"gwon/cmd/internal/apptest"
)

// Without a network and without a chain the node does not guess (spec rpc 11 no. 30).
func TestNetworkChoice(t *testing.T) {
	selected := func(ctx *cli.Context) error {
		cfg, _, err := settings.Load(ctx)
		if err != nil {
			return err
		}
		_, err = network.Select(ctx, cfg)
		return err
	}
	err := withFlags(t, selected)
	if !errors.Is(err, network.ErrNoNetwork) {
		t.Errorf("error %v, want %v", err, network.ErrNoNetwork)
	}
	for _, way := range []string{"--testnet", "--mainnet", "gwon init", "gwon-dev node", "gwon-dev devnet"} {
		if !strings.Contains(network.ErrNoNetwork.Error(), way) {
			t.Errorf("the error does not name %s", way)
		}
	}
	if err := withFlags(t, selected, "--testnet", "--mainnet"); err == nil ||
		!strings.Contains(err.Error(), "exclude each other") {
		t.Errorf("two networks: error %v", err)
	}
	for _, network := range []string{"--testnet", "--mainnet"} {
		if err := withFlags(t, selected, network); err != nil {
			t.Errorf("%s: %v", network, err)
		}
	}
}

// A new node of a public network that knows no peer to ask for contract code says so in one sentence, once all flags
// were looked at.
func TestNobodyToAsk(t *testing.T) {
	for _, row := range []struct{ args, want string }{
		{"--nodiscover --bootnodes=", "there is no peer to ask"},
		{"--maxpeers 0", "there is no peer to ask"},
		{"--nodiscover --bootnodes= --miner.extradata " + strings.Repeat("x", wbft.MaxVanity+1),
			"--miner.extradata has 32 bytes"},
		{"--nodiscover --bootnodes= --http.api nothing", "--http.api"},
	} {
		t.Run(row.args, func(t *testing.T) {
			args := append([]string{"--testnet", "--datadir", t.TempDir(), "--port", "0", "--ipcdisable"},
				strings.Fields(row.args)...)
			_, err := run(t, args...)
			if err == nil || !strings.Contains(err.Error(), row.want) || len(err.Error()) > 500 {
				t.Errorf("error %v, want a short one with %q", err, row.want)
			}
		})
	}
}

// A wrong flag is answered with one sentence, not with pages of help.
func TestWrongFlag(t *testing.T) {
	for _, args := range [][]string{{"--nosuch"}, {"--http.port", "abc"}, {"status", "--nosuch"},
		{"validator", "new", "--nosuch"}} {
		app := newApp()
		var out strings.Builder
		app.Writer, app.ErrWriter = &out, &out
		err := app.Run(append([]string{program.Name}, args...))
		if err == nil || !strings.Contains(err.Error(), "see gwon") {
			t.Errorf("%v: error %v", args, err)
		}
		if out.Len() != 0 {
			t.Errorf("%v: printed %d bytes", args, out.Len())
		}
	}
}

// A word that is no command of a group, or an argument where none belongs, is answered with one sentence; a group alone
// with its help.
func TestWrongCommand(t *testing.T) {
	groups := 0
	for _, c := range newApp().Commands {
		if len(c.Subcommands) == 0 || c.Subcommands[0].Name == "help" { // which the library adds to every command
			continue
		}
		groups++
		_, err := run(t, c.Name, "nosuch")
		want := fmt.Sprintf(`^there is no command "nosuch" of gwon %s; did you mean [a-z -]+\? see gwon %[1]s --help$`,
			c.Name)
		if err == nil || !regexp.MustCompile(want).MatchString(err.Error()) {
			t.Errorf("%s nosuch: %v, want %s", c.Name, err, want)
		}
		out, err := run(t, c.Name)
		if flat := strings.Join(strings.Fields(out), " "); err != nil || !strings.Contains(flat, c.Subcommands[0].Usage) {
			t.Errorf("%s alone: %q, %v, want its help", c.Name, out, err)
		}
	}
	if groups < 6 {
		t.Errorf("%d groups of commands", groups)
	}
	for want, args := range map[string][]string{
		"did you mean list?":                                 {"contracts", "lst"},
		"did you mean inspect?":                              {"db", "inspct"},
		"did you mean show?":                                 {"genesis", "shw"},
		"gwon account list takes no arguments, \"x\"":        {"account", "list", "--datadir", t.TempDir(), "x"},
		"gwon version takes no arguments, \"x\"":             {"version", "x"},
		"gwon dumpgenesis takes no arguments, \"x\"":         {"dumpgenesis", "x"},
		"gwon contracts list takes no arguments, \"x\"":      {"contracts", "list", "x"},
		`there is no command "js": run gwon attach`:          {"js", "file.js"},
		`there is no command "js" of gwon db; did`:           {"db", "js"},
		"did you mean gwon backup?":                          {"validator", "bakcup"},
		"did you mean gwon validator votes?":                 {"db", "votse"},
		`there is no command "statsu"; did you mean status?`: {"statsu"},
		"'statsu'. did you mean status?":                     {"help", "statsu"},
		`give a number and a unit, such as "10s"; see`:       {"--sync.interval", "1"},
		`parse error; give a whole number; see gwon --help`:  {"--rpc.operator.port", "0.03"},
	} {
		if _, err := run(t, args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", args, err, want)
		}
	}
}

// No command replaces a file that the user names.
func TestFilesAreNotReplaced(t *testing.T) {
	file, data := filepath.Join(t.TempDir(), "file"), t.TempDir()
	must.Do(t, os.WriteFile(file, []byte("own"), 0o600))
	for _, command := range []string{
		"backup", "dumpconfig", "evidence export", "export", "proof receipt 0x12", "replay --block 5 --scenario",
		"validator votes export",
	} {
		t.Run(command, func(t *testing.T) {
			words := strings.Fields(command)
			args := append(append([]string{"--datadir", data}, words...), file)
			_, err := run(t, args...)
			expect.Says(t, err, file+" exists already: name a new file", "error")
			if text := must.Get(os.ReadFile(file))(t); string(text) != "own" {
				t.Errorf("the file has %d other bytes", len(text))
			}
		})
	}
}

// A command that knows one of the public networks knows the other, and does not take both.
func TestBothNetworks(t *testing.T) {
	var look func(path []string, commands []*cli.Command)
	look = func(path []string, commands []*cli.Command) {
		for _, c := range commands {
			var known []string
			for _, f := range c.Flags {
				if name := f.Names()[0]; name == settings.MainnetFlag.Name || name == settings.TestnetFlag.Name {
					known = append(known, name)
				}
			}
			if len(known)%2 != 0 {
				t.Errorf("gwon %s knows --%s alone", strings.Join(append(path, c.Name), " "), known[0])
			}
			look(append(slices.Clone(path), c.Name), c.Subcommands)
		}
	}
	look(nil, commands())
	for _, command := range []string{
		"attach", "backup x", "contracts list", "db inspect", "doctor", "evidence export", "removedb",
		"snapshot create x", "status", "validator show", "validator votes show",
	} {
		t.Run(command, func(t *testing.T) {
			words := strings.Fields(command)
			at := len(words)
			if words[at-1] == "x" {
				at--
			}
			args := slices.Insert(words, at, "--datadir", t.TempDir(), "--mainnet", "--testnet")
			out, err := run(t, args...)
			if err == nil || !strings.Contains(out+err.Error(), "--mainnet and --testnet exclude each other") {
				t.Errorf("error %v", err)
			}
		})
	}
}

// The help of no command names another product, or a fork of another chain.
func TestHelpNamesThisProgram(t *testing.T) {
	apptest.CheckHelp(t, newApp)
}

// A call of before 0.3 is answered with the program and the call that do the same now, and with an exit status of its
// own.
func TestMovedCalls(t *testing.T) {
	for _, row := range []struct{ call, want string }{
		{"devnet", `gwon devnet is gwon-dev devnet now: run "gwon-dev devnet"`},
		{"devnet --validators 7 --help", `run "gwon-dev devnet --validators 7 --help"`},
		{"devnet stop 2", `run "gwon-dev devnet stop 2"`},
		{"load --rate 5", `gwon load is gwon-dev load now: run "gwon-dev load --rate 5"`},
		{"sponsor release --hash 0x1", `run "gwon-pay sponsor release --hash 0x1"`},
		{"tx sign -", `gwon tx is gwon-dev tx now: run "gwon-dev tx sign -"`},
		{"sponsor --config a;b", `gwon sponsor is gwon-pay sponsor now: run "gwon-pay sponsor --config 'a;b'"`},
		{"notify check x", `gwon notify is gwon-pay notify now: run "gwon-pay notify check x"`},
		{"--dev", `gwon --dev is gwon-dev node now: run "gwon-dev node"`},
		{"--http.port 0 --dev --state d", `run "gwon-dev node --http.port 0 --state d"`},
		{"-dev --dev.period 1s", `run "gwon-dev node --dev.period 1s"`},
		{"--dev console", `run "gwon-dev node", and "gwon attach" with the endpoint that it prints`},
		{"console --dev --verbosity 4", `run "gwon-dev node --verbosity 4", and "gwon attach`},
		{"--dev=true", `run "gwon-dev node"`},
	} {
		t.Run(row.call, func(t *testing.T) {
			args := strings.Fields(row.call)
			err := movedFlag(args)
			if err == nil {
				_, err = run(t, args...)
			}
			if err == nil || !strings.Contains(err.Error(), row.want) || program.StatusOf(err) != wrongUsage {
				t.Errorf("error %v, status %d, want %s", err, program.StatusOf(err), row.want)
			}
		})
	}
	for _, call := range []string{"", "--datadir d", "--testnet -- --dev", "--dev.gaslimit 5"} {
		if err := movedFlag(strings.Fields(call)); err != nil {
			t.Errorf("%q: %v", call, err)
		}
	}
}
