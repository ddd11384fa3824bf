// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes && unix

package tests

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// flagValues are the values that docs/reference/flags.md names for flags that have a choice. The code of contracts v1
// is that of the public networks, which a test does not have.
var flagValues = map[string][]string{
	"gcmode":       {"full", "archive"},
	"syncmode":     {"full", "snap"},
	"db.engine":    {"pebble", "leveldb"},
	"state.scheme": {"path", "hash"},
	"crypto.kzg":   {"gokzg"},
	"log.format":   {"json", "logfmt", "terminal"},
}

// nodeKind is a kind of node.
type nodeKind struct {
	name    string
	options []string
	only    map[string]string // the one value of a flag that the kind takes
	without []string          // boolean flags that the kind refuses
}

func (k nodeKind) dev() bool { return strings.HasPrefix(k.name, "dev") }

// nodeKinds are the kinds of docs/operate/running.md and the developer chain.
func nodeKinds(t *testing.T) []nodeKind {
	t.Helper()
	profile := func(name string) []string {
		return []string{"--rpc.profile", name, "--rpc.operator.port", fmt.Sprint(freePort(t))}
	}
	dev := map[string]string{"gcmode": "archive", "state.scheme": "hash"}
	bounded := []string{"graphql", "rpc.enabledeprecatedpersonal", "allow-insecure-unlock"}
	return []nodeKind{
		{name: "follower"},
		// A validator of a new network that is to begin with the state of others waits for them, and seals nothing.
		{name: "validator", options: []string{"--mine"}, only: map[string]string{"syncmode": "full"}},
		{name: "public", options: profile("public"), without: bounded},
		{name: "operator", options: profile("operator"), without: bounded},
		{name: "explorer", options: profile("explorer"), only: map[string]string{"gcmode": "archive"}, without: bounded},
		{name: "dev", only: dev},
		{name: "dev with state", options: []string{"--state", filepath.Join(t.TempDir(), "state")}, only: dev},
	}
}

// startKind starts a node of a kind with a data directory of its own, whose database these options choose too.
func startKind(t *testing.T, k nodeKind, options ...string) *cluster {
	t.Helper()
	c := prepareCluster(t, 1)
	options = append(slices.Clone(k.options), options...)
	if k.dev() {
		startDev(t, c, append([]string{"--ws.port", fmt.Sprint(c.node(0).HTTPPort)}, options...)...)
		return c
	}
	data := filepath.Join(c.network.Dir, "data")
	var forInit []string
	for i, option := range options {
		if option == "--db.engine" || option == "--state.scheme" {
			forInit = append(forInit, option, options[i+1])
		}
	}
	args := append([]string{"init", "--datadir", data}, append(forInit, filepath.Join(c.network.Dir, "genesis.json"))...)
	_, stderr, err := gwon(t, t.TempDir(), args...)
	must.That(t, err == nil, "init: %v: %s", err, stderr)
	key := must.Get(os.ReadFile(filepath.Join(c.node(0).Dir, "gwon", "nodekey")))(t)
	if k.name == "validator" {
		must.Do(t, os.WriteFile(filepath.Join(data, "gwon", "nodekey"), key, 0o600))
	}
	p := must.Get(c.supervisor.StartWith(c.node(0), append([]string{
		"--datadir", data, "--exit.stdin", "--ipcdisable", "--nodiscover", "--nat", "none", "--port", "0", "--bootnodes", "",
		"--cache", "64", "--http", "--http.port", fmt.Sprint(c.node(0).HTTPPort),
	}, options...)))(t)
	c.processes[c.node(0)] = p
	return c
}

// answersABlock waits until the node answers, as a validator with a block of its own.
func answersABlock(t *testing.T, k nodeKind, c *cluster) {
	t.Helper()
	number := uint64(0)
	if k.name == "validator" {
		number = 1
	}
	c.awaitHead(t, number, 0)
	b := c.block(t, 0, "latest")
	expect.That(t, b.GasLimit != 0, "block %+v", b)
}

// TestFlagValues starts each kind of node with documented values of flags that have a choice, and some kinds with each
// of them: some at a time, so that a few starts have them all.
func TestFlagValues(t *testing.T) {
	t.Parallel()
	for at, k := range nodeKinds(t) {
		for start := range 3 { // as many as a flag has values
			if start != at%3 && k.name != "follower" && k.name != "validator" {
				continue // the profiles of RPC do not look at them
			}
			t.Run(fmt.Sprintf("%s %d", k.name, start), func(t *testing.T) {
				t.Parallel()
				k := nodeKinds(t)[at] // with a port and a directory of its own
				var options []string
				for _, flag := range slices.Sorted(maps.Keys(flagValues)) {
					value := flagValues[flag][start%len(flagValues[flag])]
					if only, ok := k.only[flag]; ok {
						value = only
					}
					options = append(options, "--"+flag, value)
				}
				answersABlock(t, k, startKind(t, k, options...))
			})
		}
	}
}

// booleanRow is a flag of the generated page that is on or off.
var booleanRow = regexp.MustCompile("(?m)^\\| `--([a-z0-9.-]+)` \\| `(true|false)` ")

// switches returns the boolean flags of a kind of node, each turned the other way and with the options that it needs.
// Flags that choose the network, start no node, or that startKind sets are not among them.
func switches(t *testing.T, k nodeKind) map[string][]string {
	t.Helper()
	page := must.Get(os.ReadFile("../docs/reference/flags.md"))(t)
	flags := make(map[string][]string)
	for _, row := range booleanRow.FindAllStringSubmatch(string(page), -1) {
		switch name := row[1]; name {
		case "mainnet", "testnet", "help-all", "mine", "http":
		default:
			flags[name] = []string{fmt.Sprintf("--%s=%v", name, row[2] == "false")}
		}
	}
	must.That(t, len(flags) >= 20, "the page has %d boolean flags", len(flags))
	for _, name := range k.without {
		delete(flags, name)
	}
	if k.dev() {
		flags["quiet"], flags["print-traces"] = []string{"--quiet"}, []string{"--print-traces"}
	}
	flags["log.rotate"] = append(flags["log.rotate"], "--log.file", filepath.Join(t.TempDir(), "log"))
	flags["metrics"] = append(flags["metrics"], "--metrics.port", fmt.Sprint(freePort(t)))
	flags["pprof"] = append(flags["pprof"], "--pprof.port", fmt.Sprint(freePort(t)))
	return flags
}

// TestBooleanFlags starts each kind of node with all boolean flags that it takes, each turned the other way. Unless
// -short is set, a follower and a developer chain start with each of them alone, too.
func TestBooleanFlags(t *testing.T) {
	t.Parallel()
	const all = "all"
	for at, k := range nodeKinds(t) {
		names := []string{all}
		if plain := k.name == "follower" || k.name == "dev"; plain && !testing.Short() {
			names = append(names, slices.Sorted(maps.Keys(switches(t, k)))...)
		}
		for _, name := range names {
			t.Run(k.name+" "+name, func(t *testing.T) {
				t.Parallel()
				k := nodeKinds(t)[at]
				flags := switches(t, k)
				options := flags[name]
				if name == all {
					delete(flags, "metrics.influxdbv2") // one of both versions
					options = slices.Concat(slices.Collect(maps.Values(flags))...)
				}
				for _, flag := range slices.Sorted(maps.Keys(k.only)) {
					options = append(options, "--"+flag, k.only[flag])
				}
				c := startKind(t, k, append(options, "--ws.port", fmt.Sprint(freePort(t)))...)
				answersABlock(t, k, c)
				if !slices.Contains(k.without, "graphql") && (name == all || name == "graphql") {
					c.askGraphQL(t, k.dev())
				}
			})
		}
	}
}

// askGraphQL asks node 0 for a block by GraphQL, and for the page that a developer chain has beside it.
func (c *cluster) askGraphQL(t *testing.T, dev bool) {
	t.Helper()
	query := strings.NewReader(`{"query": "{block(number: 0) {number}}"}`)
	response := must.Get(http.Post(c.node(0).HTTP()+"/graphql", "application/json", query))(t)
	defer response.Body.Close() //nolint:errcheck // it was read
	text, err := io.ReadAll(response.Body)
	expect.That(t, err == nil && strings.Contains(string(text), `"number":"0x0"`),
		"GraphQL answers %s (error %v)", text, err)
	wanted := map[string]string{"/graphql/ui": "GraphiQL"}
	if dev {
		wanted["/"] = `<div id="app"`
	}
	for path, want := range wanted {
		request := must.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, c.node(0).HTTP()+path, nil))(t)
		request.Header.Set("Accept", "text/html")
		page := must.Get(http.DefaultClient.Do(request))(t)
		text, err := io.ReadAll(page.Body)
		expect.Error(t, page.Body.Close(), nil, "page.Body.Close")
		expect.That(t, err == nil && page.StatusCode == http.StatusOK && strings.Contains(string(text), want),
			"%s answers %s: %.200s (error %v)", path, page.Status, text, err)
	}
}

// TestDocumentedFlagValues compares the values above with those of the generated page.
func TestDocumentedFlagValues(t *testing.T) {
	t.Parallel()
	for flag, values := range flagValues {
		t.Run(flag, func(t *testing.T) {
			t.Parallel()
			row := rowOf(t, flag)
			for _, value := range values {
				expect.Contains(t, row, value, "the row of --%s does not name %s", flag, value)
			}
		})
	}
}

// rowOf returns the row of a flag on the generated page.
func rowOf(t *testing.T, flag string) string {
	t.Helper()
	for line := range strings.Lines(readPage(t, "docs/reference/flags.md")) {
		if strings.HasPrefix(line, "| `--"+flag+"`") {
			return line
		}
	}
	t.Fatalf("the page has no --%s", flag)
	return ""
}
