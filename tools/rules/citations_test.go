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
			if fault := check(spec, c); fault != "" {
				t.Errorf("%s:%d: %s", file, c.line, fault)
			}
		}
	}
	if total < 1000 {
		t.Errorf("only %d citations are found", total)
	}
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
			if fault := check(spec, c); fault != "" {
				t.Errorf("docs/spec/%s.md:%d: %s", name, c.line, fault)
			}
		}
	}
	if total < 50 {
		t.Errorf("only %d references are found", total)
	}
}

// Each numbered section has an anchor of its number, which links may name.
func TestSectionsHaveAnchors(t *testing.T) {
	spec := must.Get(loadSpec(root))(t)
	for _, name := range textNames {
		for _, number := range spec[name].order {
			if s := spec[name].sections[number]; s.anchor != number {
				t.Errorf("%s %s: the anchor above the heading is %q", name, number, s.anchor)
			}
		}
	}
}

// All forms of citations that the tree uses are read.
func TestFindCitations(t *testing.T) {
	for _, test := range []struct{ source, want string }{
		{"// x (spec wbft 9.1).", "1: wbft 9.1"},
		{"// spec: transactions 6.2, 6.3", "1: transactions 6.2; 1: transactions 6.3"},
		{"see spec/wbft.md 9.1 no. 4", "1: wbft 9.1 [4]"},
		{"see `spec/rpc.md` 4.1", "1: rpc 4.1"},
		{"wbft 9.1 no. 4", "1: wbft 9.1 [4]"},
		{"network 5 no. 10", "1: network 5 [10]"},
		{"(spec chain 2, wbft 5)", "1: chain 2; 1: wbft 5"},
		{"(spec\n// wbft 5.4): a", "2: wbft 5.4"},
		{"(spec wbft 9.1\n\t// nos. 3, 5).", "1: wbft 9.1 [3 5]"},
		{"+// Spec wbft 2.1 and 2.2: a", "1: wbft 2.1; 1: wbft 2.2"},
		{"spec transactions 4.1, 4.2 and 4.4, and 6 no. 5, 6, 7, 14 and 28; chain 2",
			"1: transactions 4.1; 1: transactions 4.2; 1: transactions 4.4; 1: transactions 6 [5 6 7 14 28]; 1: chain 2"},
		{"spec network 4 and 5 no. 4 to 7, 10 and 14: a", "1: network 4; 1: network 5 [4 7 10 14]"},
		{"(spec wbft 5.7, COMMIT; 5.8)", "1: wbft 5.7; 1: wbft 5.8"},
		{"(spec transactions 4.1, rows c, k; a)", "1: transactions 4.1 [c k]"},
		{"(spec transactions 4.1 and 4.2; 25 000 gas each)", "1: transactions 4.1; 1: transactions 4.2"},
		{"(spec transactions 2.2, rows 11 and 12a)", "1: transactions 2.2 [11 12a]"},
		{"spec wbft 6.4 steps 1 and 2", "1: wbft 6.4 [1 2]"},
		{"Specification: chain, section 3.1. It", "1: chain 3.1"},
		{`"spec": "chain 2.3"`, "1: chain 2.3"},
		{"spec rpc 9.7, spec transactions 5, and", "1: rpc 9.7; 1: transactions 5"},
		{"on chain 8282, network 8283", ""},
		{"(chain.md section 13, item 2)", "1: chain 13 [2]"},
		{"network.md 12", "1: network 12"},
		{"docs/spec/network.md 12", "1: network 12"},
		{"docs/system-contracts.md, 14", ""},
		{"net.Build(t, chain, 0)", ""},
		{"transactions, 12 MiB", ""},
	} {
		t.Run(test.source, func(t *testing.T) {
			var got []string
			for _, c := range findCitations(test.source) {
				s := fmt.Sprintf("%d: %s %s", c.line, c.text, c.section)
				if len(c.items) > 0 {
					s += fmt.Sprint(" ", c.items)
				}
				got = append(got, s)
			}
			if got := strings.Join(got, "; "); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}
