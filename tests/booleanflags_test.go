// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

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

	"gwon/internal/must"
)

// booleanRow is a flag of the generated page that is on or off.
var booleanRow = regexp.MustCompile("(?m)^\\| `--([a-z0-9.-]+)` \\| `(true|false)` ")

// switches returns the boolean flags of a node, each turned the other way and with the options that it needs. Flags
// that choose the network or start no node are not among them, and those of a developer chain alone only if dev is set.
func switches(t *testing.T, dev bool) map[string][]string {
	t.Helper()
	page := must.Get(os.ReadFile("../docs/reference/flags.md"))(t)
	flags := make(map[string][]string)
	for _, row := range booleanRow.FindAllStringSubmatch(string(page), -1) {
		switch name := row[1]; name {
		case "mainnet", "testnet", "help-all":
		default:
			flags[name] = []string{fmt.Sprintf("--%s=%v", name, row[2] == "false")}
		}
	}
	if len(flags) < 20 {
		t.Fatalf("the page has %d boolean flags", len(flags))
	}
	if dev {
		flags["quiet"], flags["print-traces"] = []string{"--quiet"}, []string{"--print-traces"}
	}
	flags["log.rotate"] = append(flags["log.rotate"], "--log.file", filepath.Join(t.TempDir(), "log"))
	flags["metrics"] = append(flags["metrics"], "--metrics.port", fmt.Sprint(freePort(t)))
	flags["pprof"] = append(flags["pprof"], "--pprof.port", fmt.Sprint(freePort(t)))
	return flags
}

// TestBooleanFlags starts a developer chain and the validator of a devnet with all boolean flags together, and with
// each of them alone unless -short is set. Each serves a block.
func TestBooleanFlags(t *testing.T) {
	t.Parallel()
	const all = "all"
	for _, dev := range []bool{true, false} {
		names := []string{all}
		if !testing.Short() {
			names = append(names, slices.Sorted(maps.Keys(switches(t, dev)))...)
		}
		for _, name := range names {
			t.Run(fmt.Sprintf("dev %v %s", dev, name), func(t *testing.T) {
				t.Parallel()
				flags := switches(t, dev)
				options := flags[name]
				if name == all {
					delete(flags, "metrics.influxdbv2") // one of both versions
					options = slices.Concat(slices.Collect(maps.Values(flags))...)
				}
				c := prepareCluster(t, 1)
				if dev {
					startDev(t, c, append([]string{"--ws.port", fmt.Sprint(c.node(0).HTTPPort)}, options...)...)
				} else {
					c.start(t, 0, options...)
				}
				c.awaitHead(t, 0, 0)
				if b := c.block(t, 0, "0x0"); b.GasLimit == 0 {
					t.Errorf("block %+v", b)
				}
				if name == all || name == "graphql" {
					c.askGraphQL(t, dev)
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
	if err != nil || !strings.Contains(string(text), `"number":"0x0"`) {
		t.Errorf("GraphQL answers %s (error %v)", text, err)
	}
	wanted := map[string]string{"/graphql/ui": "GraphiQL"}
	if dev {
		wanted["/"] = `<div id="app"`
	}
	for path, want := range wanted {
		request := must.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, c.node(0).HTTP()+path, nil))(t)
		request.Header.Set("Accept", "text/html")
		page := must.Get(http.DefaultClient.Do(request))(t)
		text, err := io.ReadAll(page.Body)
		if err := page.Body.Close(); err != nil {
			t.Error(err)
		}
		if err != nil || page.StatusCode != http.StatusOK || !strings.Contains(string(text), want) {
			t.Errorf("%s answers %s: %.200s (error %v)", path, page.Status, text, err)
		}
	}
}
