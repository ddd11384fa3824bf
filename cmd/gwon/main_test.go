// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
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
	expect.Error(t, withFlags(t, selected), network.ErrNoNetwork, "refusal")
	for _, way := range []string{"--testnet", "--mainnet", "gwon init", "gwon-dev node", "gwon-dev devnet"} {
		expect.Contains(t, network.ErrNoNetwork.Error(), way, "the error does not name %s", way)
	}
	expect.Says(t, withFlags(t, selected, "--testnet", "--mainnet"), "exclude each other", "two networks")
	for _, network := range []string{"--testnet", "--mainnet"} {
		expect.Error(t, withFlags(t, selected, network), nil, "%s", network)
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
			expect.That(t, err != nil && strings.Contains(err.Error(), row.want) && len(err.Error()) <= 500,
				"error %v, want a short one with %q", err, row.want)
		})
	}
}

// A start that cannot be meant ends with one sentence before an endpoint opens, and so does a foreign chain.
func TestStartRefusals(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	must.Get(run(t, "init", "--datadir", data, apptest.PrivateGenesis(t)))(t)
	for want, args := range map[string]string{
		"account unlock with HTTP access is forbidden": "--http --http.port 0 --unlock 0",
		"there is no account 0":                        "--unlock 0 --port 0 --nodiscover",
		"64 hexadecimal digits":                        "--checkpoint 0x12",
		"has genesis block":                            "--testnet",
	} {
		t.Run(args, func(t *testing.T) {
			_, err := run(t, append([]string{"--datadir", data, "--ipcdisable"}, strings.Fields(args)...)...)
			expect.Says(t, err, want, "refusal")
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
		expect.Says(t, app.Run(append([]string{program.Name}, args...)), "see gwon", "%v", args)
		expect.That(t, out.Len() == 0, "%v: printed %d bytes", args, out.Len())
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
		expect.That(t, err != nil && regexp.MustCompile(want).MatchString(err.Error()),
			"%s nosuch: %v, want %s", c.Name, err, want)
		out, err := run(t, c.Name)
		if flat := strings.Join(strings.Fields(out), " "); err != nil || !strings.Contains(flat, c.Subcommands[0].Usage) {
			t.Errorf("%s alone: %q, %v, want its help", c.Name, out, err)
		}
	}
	expect.That(t, groups >= 6, "%d groups of commands", groups)
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
		expect.Says(t, expect.Err(run(t, args...)), want, "%v", args)
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
			expect.Says(t, expect.Err(run(t, args...)), file+" exists already: name a new file", "error")
			text := must.Get(os.ReadFile(file))(t)
			expect.That(t, string(text) == "own", "the file has %d other bytes", len(text))
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
			expect.Equal(t, len(known)%2, 0, "gwon %s knows one of %v: flags", strings.Join(append(path, c.Name), " "), known)
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
			expect.That(t, err != nil && strings.Contains(out+err.Error(), "--mainnet and --testnet exclude each other"),
				"error %v", err)
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
		expect.Error(t, movedFlag(strings.Fields(call)), nil, "%q", call)
	}
}
