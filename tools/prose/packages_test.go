// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"bytes"
	"encoding/csv"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gwon/internal/expect"
	"gwon/internal/must"
)

var codeName = regexp.MustCompile("`([^`]+)`")

// rows returns the names in the first cells of the table whose heading line begins with the text given.
func rows(t *testing.T, file, heading string) []string {
	t.Helper()
	text := must.Get(os.ReadFile(filepath.Join("../..", filepath.FromSlash(file))))(t)
	_, table, found := strings.Cut("\n"+string(text), "\n"+heading)
	must.That(t, found, "%s has no table %q", file, heading)
	table, _, _ = strings.Cut(table, "\n\n")
	var names []string
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, "|"); strings.HasPrefix(line, "|") {
			for _, match := range codeName.FindAllStringSubmatch(cells[1], -1) {
				names = append(names, match[1])
			}
		}
	}
	return names
}

// missingRows returns the directories that no row names. The row "x/..." is for x and every directory below.
func missingRows(directories, named []string) []string {
	var missing []string
	for _, directory := range directories {
		found := false
		for _, name := range named {
			parent, tree := strings.CutSuffix(name, "/...")
			found = found || directory == parent || tree && strings.HasPrefix(directory, parent+"/")
		}
		if !found {
			missing = append(missing, directory)
		}
	}
	return missing
}

// Every package that says in a doc.go what belongs in it has a row in one of the two tables of packages, and every row
// is about a directory.
func TestPackagesHaveRows(t *testing.T) {
	table := must.Get(os.ReadFile("../../docs/packages.csv"))(t)
	var named []string
	for _, row := range must.Get(csv.NewReader(bytes.NewReader(table)).ReadAll())(t)[1:] {
		named = append(named, strings.Split(row[0], ", ")...)
	}
	for _, name := range rows(t, "docs/architecture.md", "| Package of `eth` |") {
		named = append(named, "eth/"+name)
	}
	out := must.Get(exec.Command("git", "-C", "../..", "ls-files", "-z", "*/doc.go").Output())(t)
	var packages []string
	for _, file := range strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 }) {
		packages = append(packages, path.Dir(file))
	}
	must.That(t, len(packages) >= 40, "%d packages found", len(packages))
	for _, directory := range missingRows(packages, named) {
		t.Errorf("%s has no row in docs/packages.csv or docs/architecture.md", directory)
	}
	for _, name := range named {
		directory := filepath.Join("../..", filepath.FromSlash(strings.TrimSuffix(name, "/...")))
		info, err := os.Stat(directory)
		expect.That(t, err == nil && info.IsDir(), "the row %s is about no directory", name)
	}
}
