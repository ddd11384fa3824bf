// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// The list is not stale: each line is in its file exactly once, and the tests exist. Whether they notice is for make
// mutants to say.
func TestListFitsTheSource(t *testing.T) {
	t.Chdir("../..")
	mutants := must.Get(parse(list))(t)
	expect.That(t, len(mutants) >= 60, "%d faults", len(mutants))
	have := make(map[string]map[string]bool) // tests by package
	for _, m := range mutants {
		source, err := os.ReadFile(m.file)
		if err != nil {
			t.Error(err)
			continue
		}
		expect.Error(t, expect.Err(m.mutate(string(source))), nil, "%s: %s", m.file, m.old)
		if have[m.pkg] == nil {
			have[m.pkg] = testsOf(t, m.pkg)
		}
		for _, name := range m.tests {
			expect.That(t, have[m.pkg][name], "%s has no %s", m.pkg, name)
		}
	}
}

// testsOf returns the names of the tests in the files of a package.
func testsOf(t *testing.T, pkg string) map[string]bool {
	t.Helper()
	files := must.Get(filepath.Glob(filepath.Join(pkg, "*_test.go")))(t)
	names := make(map[string]bool)
	for _, file := range files {
		source := must.Get(os.ReadFile(file))(t)
		for _, found := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllSubmatch(source, -1) {
			names[string(found[1])] = true
		}
	}
	return names
}

const record = "a.go\n- one {\n+ two {\n: rule\n> ./p TestA TestB endless\n"

func TestParse(t *testing.T) {
	mutants, err := parse("# remark\n" + record + "\nb.go\n- gone\n+\n: rule\n> ./p TestA\n")
	must.That(t, err == nil && len(mutants) == 2, "%d records, error %v", len(mutants), err)
	m := mutants[0]
	expect.That(t, m.file == "a.go" && m.old == "one {" && m.new == "two {" && m.rule == "rule" && m.pkg == "./p" &&
		slices.Equal(m.tests, []string{"TestA", "TestB"}) && m.endless, "%+v", m)
	m = mutants[1]
	expect.That(t, m.new == "" && !m.endless, "%+v", m)
	for name, bad := range map[string]string{
		"twice":        record + "\n" + record,
		"no change":    strings.Replace(record, "two", "one", 1),
		"no rule":      strings.Replace(record, ": rule", ":", 1),
		"no test":      strings.Replace(record, " TestA TestB endless", "", 1),
		"only endless": strings.Replace(record, " TestA TestB endless", " endless", 1),
		"a line short": strings.Replace(record, ": rule\n", "", 1),
		"order":        strings.Replace(record, "- one", "+ one", 1),
	} {
		expect.Refused(t, expect.Err(parse(bad)), "%s: taken", name)
	}
}

// Only a test that failed has noticed a fault; one that does not end has where the list says so.
func TestVerdict(t *testing.T) {
	for _, test := range []struct {
		output  string
		endless bool
		by      string // empty for an error
	}{
		{"=== RUN TestA\n--- FAIL: TestA (0.00s)\nFAIL\n", false, "TestA"},
		{"=== RUN TestA\npanic: test timed out after 2m0s\n--- FAIL: TestA\n", false, ""},
		{"=== RUN TestA\npanic: test timed out after 2m0s\n", true, "a test that does not end"},
		{"panic: runtime error\n", false, "a panic"},
		{"exit status 2\n", false, ""},
	} {
		by, err := (&mutant{endless: test.endless}).verdict(test.output)
		expect.That(t, by == test.by && (err == nil) == (test.by != ""), "%q: by %q, error %v", test.output, by, err)
	}
}
