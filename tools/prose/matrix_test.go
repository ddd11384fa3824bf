// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// The matrix of SECURITY.md has each resource for each source. A cell names tests that exist, or says why it has none.
func TestMatrix(t *testing.T) {
	const root = "../.."
	out := must.Get(exec.Command("git", "-C", root, "ls-files", "-z", "*_test.go").Output())(t)
	var tests strings.Builder
	for _, file := range strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 }) {
		text := must.Get(os.ReadFile(filepath.Join(root, file)))(t)
		tests.Write(text)
	}
	page := must.Get(os.ReadFile(filepath.Join(root, "SECURITY.md")))(t)
	_, table, _ := strings.Cut(string(page), "\n## Matrix\n")
	table, _, _ = strings.Cut(table, "\n## ")
	have, sources := make(map[string]bool), make(map[string]bool)
	rows := regexp.MustCompile(`(?m)^\| ([^|]+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$`).FindAllStringSubmatch(table, -1)
	must.That(t, len(rows) >= 11*7, "%d cells", len(rows))
	for _, row := range rows[1:] {
		source, resource, test := row[1], row[2], row[4]
		sources[source], have[source+", "+resource] = true, true
		names := codeSpan.FindAllString(test, -1)
		expect.That(t, len(names) != 0 || strings.HasPrefix(test, "no "),
			"%s, %s: %q names no test, and says no reason", source, resource, test)
		for _, name := range names {
			name = strings.Trim(name, "`")
			defined := "func " + name + "(t "
			if _, attack, ok := strings.Cut(name, "TestAttacks/"); ok {
				defined = `{name: "` + attack + `"`
			}
			expect.Contains(t, tests.String(), defined, "%s, %s: there is no %s", source, resource, name)
		}
	}
	for source := range sources {
		for _, resource := range []string{"memory", "CPU", "goroutines", "descriptors", "disk", "locks", "coins"} {
			expect.That(t, have[source+", "+resource], "%s, %s: the cell is missing", source, resource)
		}
	}
}
