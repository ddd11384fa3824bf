// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"fmt"
	"net"
	"os"
	"strings"
	"testing"

	"gwon/cmd/internal/apptest"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/tools/reference/describe"
)

func run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	return apptest.Run(t, newApp(), args...)
}

// The help of no command names another product, or a fork of another chain, and every group refuses a word that is none
// of its commands.
func TestCommands(t *testing.T) {
	apptest.CheckHelp(t, newApp)
	for _, row := range []struct{ call, want string }{
		{"devnet nosuch", `there is no command "nosuch" of gwon-dev devnet; did you mean `},
		{"devnt", `there is no command "devnt"; did you mean devnet? see gwon-dev --help`},
		{"help devnt", "'devnt'. did you mean devnet?"},
		{"tx decod", `there is no command "decod" of gwon-dev tx; did you mean decode?`},
		{"load x", `gwon-dev load takes no arguments, "x" was given`},
		{"load --spoil 0.03", "-spoil: parse error; give a whole number; see gwon-dev load"},
		{"node --dev.period 1", `give a number and a unit, such as "10s"; see gwon-dev node`},
		{"node --nosuch", "see gwon-dev node --help"},
		{"node --testnet", "see gwon-dev node --help"},
	} {
		expect.Says(t, expect.Err(run(t, strings.Fields(row.call)...)), row.want, "%s", row.call)
	}
}

// What a developer chain cannot do is said before anything starts, with what to do instead.
func TestNodeRefuses(t *testing.T) {
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer listener.Close() //nolint:errcheck // the test ends
	taken := listener.Addr().(*net.TCPAddr).Port
	busy := fmt.Sprintf("port %d is in use: give another --", taken)
	for _, c := range []struct {
		name string
		args []string
		want []string
	}{
		{"HTTP port in use", []string{"--http.port", fmt.Sprint(taken)}, []string{busy + "http.port, or 0"}},
		{"WebSocket port in use", []string{"--http.port", "0", "--ws.port", fmt.Sprint(taken)},
			[]string{busy + "ws.port, or 0"}},
		{"another machine's address", []string{"--http.addr", "192.0.2.1"},
			[]string{`--http.addr "192.0.2.1"`, "listens on 127.0.0.1 only"}},
		{"every address", []string{"--http.addr", "0.0.0.0"}, []string{"listens on 127.0.0.1 only"}},
		{"every address, public", []string{"--rpc.profile", "public", "--http.addr", "0.0.0.0", "--http.vhosts", "*"},
			[]string{"listens on 127.0.0.1 only"}},
		{"every IPv6 address", []string{"--http.addr", "::"}, []string{`--http.addr "::"`, "listens on 127.0.0.1 only"}},
		{"a host name", []string{"--http.addr", "node.example"}, []string{"listens on 127.0.0.1 only"}},
		{"no address", []string{"--http.addr", ""}, []string{`--http.addr ""`, "listens on 127.0.0.1 only"}},
		{"WebSocket alone", []string{"--http.port", "0", "--ws.addr", "::"},
			[]string{"--ws.addr", "listens on 127.0.0.1 only"}},
		{"every address of WebSocket", []string{"--http.port", "0", "--ws", "--ws.addr", "0.0.0.0"},
			[]string{"--ws.addr", "listens on 127.0.0.1 only"}},
		{"mistyped mnemonic", []string{"--http.port", "0", "--mnemonic", "test junk"}, []string{"--mnemonic", "no mnemonic"}},
		{"other states", []string{"--state.scheme", "path"}, []string{"leave --state.scheme out"}},
		{"fewer states", []string{"--gcmode", "full"}, []string{"leave --gcmode out"}},
		{"no allocation", []string{"--http.port", "0", "--alloc", "/nowhere"}, []string{"--alloc"}},
		{"operator", []string{"--http.port", "0", "--rpc.profile", "operator"}, []string{"--datadir", "without a profile"}},
		{"mainnet's chain ID", []string{"--dev.chainid", "8282"}, []string{"--dev.chainid 8282 is the mainnet's"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("HOME", t.TempDir())
			_, err := run(t, append([]string{"node"}, c.args...)...)
			for _, want := range c.want {
				expect.Says(t, err, want, "no %q in", want)
			}
		})
	}
}

// pages are the generated pages of this program.
var pages = map[string]apptest.Page{
	"differences.md": methods(func(d *describe.Document) ([]byte, error) { return []byte(d.Differences()), nil }),
	"openrpc.json":   methods((*describe.Document).JSON),
	"rpc.md":         methods(func(d *describe.Document) ([]byte, error) { return []byte(d.Page()), nil }),
}

// TestMain runs the tests, or the program for a test that needs a process of its own.
func TestMain(m *testing.M) { apptest.Main(m, main, newApp, pages) }

// The generated pages are those of this program.
func TestReferenceIsCurrent(t *testing.T) { apptest.CheckReference(t, pages) }

// No text of a command shows more of an endpoint than scheme and host.
func TestEndpointsAreHidden(t *testing.T) {
	hash := "0x" + strings.Repeat("11", 32)
	apptest.CheckHidden(t, newApp, "light --rpc URL --datadir DIR", "node --fork URL --fork.cache DIR", "load --rpc URL",
		"tx decode --rpc URL "+hash)
}

// The examples of commands that work without a node run as they are written: what one makes, the next one takes.
func TestExamplesWithoutNode(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, command := range []string{"sign", "cosign"} {
		help := must.Get(apptest.Run(t, newApp(), "tx", command, "--help"))(t)
		_, example, _ := strings.Cut(help, "\nEXAMPLE:\n   gwon-dev ")
		example, _, _ = strings.Cut(example, "\n")
		out, err := apptest.Run(t, newApp(), strings.Fields(example)...)
		must.That(t, err == nil && strings.HasPrefix(out, "0x"), "%s: %q, %v", example, out, err)
		must.Do(t, os.WriteFile("signed.json", []byte(out), 0o600))
	}
}
