// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes && unix

package tests

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
	if strings.HasPrefix(k.name, "dev") {
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
	if _, stderr, err := gwon(t, t.TempDir(), args...); err != nil {
		t.Fatalf("init: %v: %s", err, stderr)
	}
	key := must.Get(os.ReadFile(filepath.Join(c.node(0).Dir, "gwon", "nodekey")))(t)
	if k.name == "validator" {
		must.Do(t, os.WriteFile(filepath.Join(data, "gwon", "nodekey"), key, 0o600))
	}
	p, err := c.supervisor.StartWith(c.node(0), append([]string{
		"--datadir", data, "--exit.stdin", "--ipcdisable", "--nodiscover", "--nat", "none", "--port", "0", "--bootnodes", "",
		"--cache", "64", "--http", "--http.port", fmt.Sprint(c.node(0).HTTPPort),
	}, options...))
	must.Do(t, err)
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
	if b := c.block(t, 0, "latest"); b.GasLimit == 0 {
		t.Errorf("block %+v", b)
	}
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

// TestBooleanFlagsByKind starts each kind of node with all boolean flags that it takes, each turned the other way.
func TestBooleanFlagsByKind(t *testing.T) {
	t.Parallel()
	for _, k := range nodeKinds(t) {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			flags := switches(t, strings.HasPrefix(k.name, "dev"))
			for _, name := range append(k.without, "mine", "http", "metrics.influxdbv2") {
				delete(flags, name)
			}
			options := slices.Concat(slices.Collect(maps.Values(flags))...)
			for _, flag := range slices.Sorted(maps.Keys(k.only)) {
				options = append(options, "--"+flag, k.only[flag])
			}
			options = append(options, "--ws.port", fmt.Sprint(freePort(t)), "--metrics.port", fmt.Sprint(freePort(t)))
			answersABlock(t, k, startKind(t, k, options...))
		})
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
				if !strings.Contains(row, value) {
					t.Errorf("the row of --%s does not name %s: %s", flag, value, row)
				}
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
