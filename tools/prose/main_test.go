// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"strings"
	"testing"

	"gwon/internal/expect"
	"gwon/internal/must"
)

func TestCheck(t *testing.T) {
	long := strings.Repeat("word ", maxWords+1)
	for name, test := range map[string]struct{ source, want string }{
		"short":              {"One sentence. Another one.", ""},
		"long sentence":      {"Begin.\n\n" + strings.ReplaceAll(long, "word word ", "word word\n"), "3 sentences"},
		"two sentences":      {strings.Repeat("word ", maxWords) + "end. " + "word", "1 sentences; 1 columns"},
		"as many as allowed": {strings.ReplaceAll(strings.Repeat("word ", maxWords), "word word ", "word word\n"), ""},
		"item":               {"* a\n* b\n10. " + strings.ReplaceAll(long, "word word ", "word word\n"), "3 sentences"},
		"code":               {"```\n" + long + "\n```", ""},
		"table":              {"a\n\n| a |\n|---|\n| " + long + " |", ""},
		"table cut in two":   {"| a |\n|---|\n| b |\n\n| c |", "5 tables"},
		"heading":            {"## " + long, ""},
		"long link":          {strings.Repeat("x", 2*maxColumns), ""},
		"wide line":          {strings.Repeat("é", maxColumns-2) + " éé", "1 columns"},
		"widest line":        {strings.Repeat("é", maxColumns-2) + " é", ""},
	} {
		t.Run(name, func(t *testing.T) {
			want := make(map[string]bool)
			for _, w := range strings.Split(test.want, "; ") {
				if w != "" {
					want[w] = true
				}
			}
			found := check(test.source, maxColumns)
			expect.Equal(t, len(found), len(want), "%v, want %q", found, test.want)
			for _, f := range found {
				expect.That(t, want[string(rune('0'+f.line))+" "+f.rule], "surplus: %v", f)
			}
		})
	}
}

// The repository passes, but for the files of the list.
func TestRepository(t *testing.T) {
	faults := must.Get(run("../..", notYetChecked))(t)
	for _, fault := range faults {
		t.Error(fault)
	}
}

// A listed file that passes has to leave the list.
func TestListOnlyShrinks(t *testing.T) {
	faults := must.Get(run("../..", notYetChecked+"docs/none.md sentences\n"))(t)
	expect.That(t, len(faults) == 1 && strings.Contains(faults[0], "docs/none.md sentences passes"), "%v", faults)
}
