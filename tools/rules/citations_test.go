// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gwon/internal/expect"
	"gwon/internal/must"
)

const root = "../.."

// Each citation of the tree names a section and a list number that exist.
func TestCitationsExist(t *testing.T) {
	spec := must.Get(loadSpec(root))(t)
	files := must.Get(trackedFiles(root))(t)
	total := 0
	for _, file := range files {
		if !slices.Contains(citing, filepath.Ext(file)) || strings.HasPrefix(file, self) {
			continue
		}
		source := must.Get(os.ReadFile(filepath.Join(root, filepath.FromSlash(file))))(t)
		for _, c := range findCitations(string(source)) {
			total++
			expect.Equal(t, check(spec, c), "", "%s:%d", file, c.line)
		}
	}
	expect.That(t, total >= 1000, "only %d citations are found", total)
}

// citing are the kinds of files that cite the specification.
var citing = []string{".go", ".md", ".sol", ".patch", ".txt", ".json", ".mjs"}

// check describes what a citation names that does not exist.
func check(spec map[string]*text, c citation) string {
	s := spec[c.text].sections[c.section]
	if s == nil {
		return fmt.Sprintf("spec %s has no section %s", c.text, c.section)
	}
	for _, item := range c.items {
		if !s.items[item] {
			return fmt.Sprintf("spec %s %s has no list number or row %s", c.text, c.section, item)
		}
	}
	return ""
}

// What a text of docs/spec says of its own sections names sections that exist.
func TestInsideReferencesExist(t *testing.T) {
	spec := must.Get(loadSpec(root))(t)
	total := 0
	for _, name := range textNames {
		source := must.Get(os.ReadFile(filepath.Join(root, "docs", "spec", name+".md")))(t)
		for _, c := range findInside(name, string(source)) {
			total++
			expect.Equal(t, check(spec, c), "", "docs/spec/%s.md:%d", name, c.line)
		}
	}
	expect.That(t, total >= 50, "only %d references are found", total)
}

// Each numbered section has an anchor of its number, which links may name.
func TestSectionsHaveAnchors(t *testing.T) {
	spec := must.Get(loadSpec(root))(t)
	for _, name := range textNames {
		for _, number := range spec[name].order {
			expect.Equal(t, spec[name].sections[number].anchor, number, "%s %s: the anchor above the heading", name, number)
		}
	}
}
