// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes && unix

package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// pages are the documents that name most commands and flags of gwon.
var pages = []string{"README.md", "docs/develop/clients.md", "docs/develop/fee-delegation.md",
	"docs/operate/running.md", "docs/operate/rpc-node.md"}

func readPage(t testing.TB, page string) string {
	t.Helper()
	text := must.Get(os.ReadFile(filepath.Join("..", filepath.FromSlash(page))))(t)
	return string(text)
}

// Every command and flag of gwon that the README and the pages it was divided into name exists.
func TestReadmeNames(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for _, page := range pages {
		text.WriteString(readPage(t, page))
	}
	// Blocks that are no shell of gwon's have flags of other programs.
	prose := regexp.MustCompile("(?s)\n```[a-z]*\n.*?\n```\n").ReplaceAllString(text.String(), "\n")
	var help strings.Builder
	for _, command := range [][]string{
		{"gwon", "--help-all"}, {"gwon", "attach", "--help"}, {"gwon-dev", "devnet", "--help"},
		{"gwon-dev", "node", "--help"}, {"gwon", "contracts", "fetch", "--help"},
	} {
		stdout, stderr, err := runFor(patience, programPath(command[0]), t.TempDir(), command[1:]...)
		must.That(t, err == nil, "%v: %s", err, stderr)
		help.WriteString(stdout)
	}
	foreign := map[string]bool{"--chain": true, "--fork-url": true} // cast mktx, anvil
	flags := regexp.MustCompile(`--[a-z][a-z.-]*[a-z]`).FindAllString(prose, -1)
	must.That(t, len(flags) >= 20, "%d flags found in the documents", len(flags))
	for _, flag := range flags {
		expect.That(t, foreign[flag] || regexp.MustCompile(regexp.QuoteMeta(flag)+`[ ,\n]`).MatchString(help.String()),
			"gwon --help-all does not know %s", flag)
	}
	commands := regexp.MustCompile("`(gwon(?:-dev|-pay)?) ((?:[a-z]+ )*[a-z]+)[` ]").FindAllStringSubmatch(prose, -1)
	must.That(t, len(commands) >= 10, "%d commands found in the documents", len(commands))
	for _, command := range commands {
		args := append(strings.Fields(command[2]), "--help")
		stdout, stderr, err := runFor(patience, programPath(command[1]), t.TempDir(), args...)
		expect.That(t, err == nil && strings.Contains(stdout, command[1]+" "+strings.TrimSpace(command[2])),
			"%s %v: %v, %s%s", command[1], args, err, stdout, stderr)
	}
}

// besideDevnet are the pages whose commands need a devnet and no other tool than a shell has, in the order of a reader.
var besideDevnet = []string{
	"README.md", "docs/start/devnet.md", "docs/develop/fee-delegation.md", "docs/develop/light.md", "docs/develop/fork.md",
}

// Every block of these pages works in one place, in its order, with the devnet of the README running; but for ports,
// and endpoints of the public networks.
func TestPagesBesideDevnet(t *testing.T) {
	t.Parallel()
	var pages strings.Builder
	for _, page := range besideDevnet {
		pages.WriteString("echo '== " + page + "'\n" + commandsOf(t, readPage(t, page)))
	}
	commands := rewritten(t, pages.String(), [][2]string{
		{`(?m)^make devnet\nmake test\n`, `gwon-dev devnet --http.port 0 > devnet.log 2> blocks.log & DEVNET=$$!
until grep -q "The network is up" devnet.log; do kill -0 $$DEVNET; sleep 1; done
NODE=$$(sed -n 's/^RPC  *//p' devnet.log); PAGE=$$(sed -n 's|^Page  *\([^ ]*\).*|\1|p' devnet.log)
`},
		{`(?m)^gwon-dev devnet\n`, ""}, // it runs
		{`(?m)^.*RPC-OF-THE-TESTNET.*\n`, ""},
		{`http://127\.0\.0\.1:8545`, "$$NODE"}, {`http://127\.0\.0\.1:10545`, "$$PAGE"}, {`11545`, "$$FREE"},
	})
	output := runCommands(t, workDir(t), commands, []string{"LIGHT", "FORK", "DEVNET"}, fmt.Sprint("FREE=", freePort(t)))
	_, rest, _ := strings.Cut(output, "== "+besideDevnet[0])
	for i, want := range [][]string{
		{`"type":"0x16"`, `"status":"0x1"`}, {"3 of 4 validators"},
		{`"type":"0x16"`, `"status":"0x1"`, `"result":"0x0"`}, {`"result":"0x`}, {""},
	} {
		var part string
		if part = rest; i+1 < len(besideDevnet) {
			part, rest, _ = strings.Cut(rest, "== "+besideDevnet[i+1])
		}
		for _, text := range want {
			expect.That(t, strings.Contains(part, text), "%s: no %s in the output:\n%s", besideDevnet[i], text, part)
		}
	}
}
