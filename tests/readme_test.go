// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes && unix

package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// pages are the documents that name most commands and flags of gwon.
var pages = []string{"README.md", "docs/develop/clients.md", "docs/develop/fee-delegation.md",
	"docs/operate/running.md", "docs/operate/rpc-node.md"}

func readPage(t testing.TB, page string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(page)))
	if err != nil {
		t.Fatal(err)
	}
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
		if err != nil {
			t.Fatalf("%v: %s", err, stderr)
		}
		help.WriteString(stdout)
	}
	foreign := map[string]bool{"--chain": true, "--fork-url": true} // cast mktx, anvil
	flags := regexp.MustCompile(`--[a-z][a-z.-]*[a-z]`).FindAllString(prose, -1)
	if len(flags) < 20 {
		t.Fatalf("%d flags found in the documents", len(flags))
	}
	for _, flag := range flags {
		if !foreign[flag] && !regexp.MustCompile(regexp.QuoteMeta(flag)+`[ ,\n]`).MatchString(help.String()) {
			t.Errorf("gwon --help-all does not know %s", flag)
		}
	}
	commands := regexp.MustCompile("`(gwon(?:-dev|-pay)?) ((?:[a-z]+ )*[a-z]+)[` ]").FindAllStringSubmatch(prose, -1)
	if len(commands) < 10 {
		t.Fatalf("%d commands found in the documents", len(commands))
	}
	for _, command := range commands {
		args := append(strings.Fields(command[2]), "--help")
		stdout, stderr, err := runFor(patience, programPath(command[1]), t.TempDir(), args...)
		if err != nil || !strings.Contains(stdout, command[1]+" "+strings.TrimSpace(command[2])) {
			t.Errorf("%s %v: %v, %s%s", command[1], args, err, stdout, stderr)
		}
	}
}

// The commands that delegate a fee work as they stand in the documents, but for the port.
func TestReadmeFeeDelegation(t *testing.T) {
	needTools(t, "sh", "curl", "sed", "grep")
	c := oneNode(t)
	for _, test := range []struct {
		page, chapter string
		want          []string
	}{
		{"README.md", "## A fee-delegated transaction", []string{`"type":"0x16"`, `"status":"0x1"`}},
		{"docs/develop/fee-delegation.md", "## With curl, on a devnet",
			[]string{`"type":"0x16"`, `"status":"0x1"`, `"result":"0x0"`}},
	} {
		t.Run(filepath.Base(test.page), func(t *testing.T) {
			_, chapter, found := strings.Cut(readPage(t, test.page), test.chapter)
			block := regexp.MustCompile("(?s)```sh\n(.*?)```").FindStringSubmatch(chapter)
			if !found || block == nil {
				t.Fatalf("%s has no chapter %q with commands", test.page, test.chapter)
			}
			const url = "RPC=http://127.0.0.1:8545\n"
			if !strings.Contains(block[1], url) || !strings.Contains(block[1], c.network.Accounts[0].Address.Hex()) {
				t.Fatalf("the chapter names another URL or fee payer:\n%s", block[1])
			}
			script := "set -u\n" + strings.Replace(block[1], url, "RPC="+c.node(0).HTTP()+"\n", 1)
			output, err := exec.Command("timeout", "60", "sh", "-c", script).CombinedOutput()
			if err != nil {
				t.Fatalf("%v:\n%s", err, output)
			}
			for _, want := range test.want {
				if !strings.Contains(string(output), want) {
					t.Errorf("no %s in the output:\n%s", want, output)
				}
			}
		})
	}
}
