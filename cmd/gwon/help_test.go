// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/settings"
)

// flagLine matches a flag on a help page.
var flagLine = regexp.MustCompile(`(?m)^\s+--([a-z0-9.-]+)`)

// The help page has some twenty flags and names the one that shows all; that one shows them, by category.
func TestHelp(t *testing.T) {
	short, err := run(t, "--help")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(flagLine.FindAllString(short, -1)); n != len(commonFlags)+1 || n > 25 {
		t.Errorf("--help shows %d flags:\n%s", n, short)
	}
	for _, part := range []string{"--testnet", "--help-all", "doctor", "status", "gwon COMMAND --help"} {
		if !strings.Contains(short, part) {
			t.Errorf("--help lacks %q", part)
		}
	}
	all, err := run(t, "--help-all")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"--txpool.globalslots", "--health.peers", "--testnet", settings.CategoryValidator} {
		if !strings.Contains(all, part) {
			t.Errorf("--help-all lacks %q", part)
		}
	}
}

// The page of each command is a table: a flag and the begin of its text in one line, the rest below that text.
func TestHelpOfCommands(t *testing.T) {
	var check func(words []string, list []*cli.Command)
	check = func(words []string, list []*cli.Command) {
		for _, c := range list {
			if c.Hidden {
				continue
			}
			path := append(slices.Clone(words), c.Name)
			check(path, c.Subcommands)
			t.Run(strings.Join(path, " "), func(t *testing.T) {
				page, err := run(t, append(path, "--help")...)
				if err != nil {
					t.Fatal(err)
				}
				for line := range strings.Lines(page) {
					line = strings.TrimSuffix(line, "\n")
					wide := len(line) > 80 && len(strings.Fields(line)) > 1 && !strings.Contains(line, "gwon "+c.Name)
					if wide || line != strings.TrimRight(line, " \t") {
						t.Errorf("line %q ends with blanks or is wide", line)
					}
				}
				if strings.Contains(page, "\n\n\n") {
					t.Errorf("empty lines follow each other:\n%s", page)
				}
				for _, f := range c.Flags {
					if v, ok := f.(cli.VisibleFlag); ok && v.IsVisible() && !strings.Contains(page, "\n   --"+f.Names()[0]) {
						t.Errorf("--%s is missing:\n%s", f.Names()[0], page)
					}
				}
			})
		}
	}
	check(nil, commands())
}
