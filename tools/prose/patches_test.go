// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"fmt"
	"strings"
	"testing"

	"gwon/internal/expect"
)

// The head of a patch is checked as prose, its added lines by their width. A wide line of upstream that differs in a
// word may stay wide.
func TestCheckPatch(t *testing.T) {
	const files = "\ndiff --git a/x.go b/x.go\n--- a/x.go\n+++ b/x.go\n@@ -1,2 +1,2 @@\n"
	var (
		words  = strings.TrimSpace(strings.Repeat("word ", maxWords+1))
		wide   = strings.Repeat("x", maxCodeColumns)
		broken = strings.ReplaceAll(words, "word word ", "word word\n") + "."
	)
	for name, test := range map[string]struct{ source, want string }{
		"short":                   {"A reason.\nServes spec wbft 1.4.\n" + files + " x\n-y\n+z\n", ""},
		"long sentence":           {"A reason.\n" + broken + "\n" + files, "1 sentences"},
		"widest line of the head": {"A " + wide[2:] + "\n" + files, ""},
		"wide line of the head":   {"A " + wide + "\n" + files, "1 columns"},
		"widest added line":       {"A reason.\n" + files + " x\n+" + wide + "\n", ""},
		"wide added line":         {"A reason.\n" + files + " x\n+" + wide + "y\n", "8 columns"},
		"wide line of upstream":   {"A reason.\n" + files + " " + wide + "y\n-" + wide + "yz\n", ""},
		"word in a wide line":     {"A reason.\n" + files + "-a " + wide + "\n+an " + wide + "\n", ""},
		"word at its end":         {"A reason.\n" + files + "-a " + wide + "\n+a " + wide + " word\n", ""},
		"other text": {
			"A reason.\n" + files + "-a " + wide + "\n+" + strings.Repeat("y", 122) + "\n", "8 columns",
		},
		"a line that was not wide": {"A reason.\n" + files + "-" + wide + "\n+" + wide + "y\n", "8 columns"},
		"change of another place":  {"A reason.\n" + files + "-a " + wide + "\n x\n+an " + wide + "\n", "9 columns"},
		"second file": {"A reason.\n" + files + " x\n" + strings.TrimPrefix(files, "\n") + "+" + wide + "y\n",
			"12 columns"},
		"name of a file":         {"A reason.\n\ndiff --git a/x b/x\n--- a/x\n+++ b/" + wide + "\n@@ -1 +1 @@\n", ""},
		"added line like a name": {"A reason.\n" + files + " x\n+++ b/" + wide + "\n", "8 columns"},
	} {
		t.Run(name, func(t *testing.T) {
			var found []string
			for _, f := range checkPatch(test.source) {
				found = append(found, fmt.Sprint(f.line, " ", f.rule))
			}
			expect.Equal(t, strings.Join(found, "; "), test.want, "patches")
		})
	}
}
