// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"regexp"
	"sort"
)

var (
	// inside is a mention of another section of the same text.
	inside      = regexp.MustCompile(`(?:\((?:see )?(\d{1,2}\.\d{1,2})[,; )]| sections? (\d{1,2}(?:\.\d{1,2})?)\b)`)
	namedBefore = regexp.MustCompile(names + `(?:\.md)?["` + "`" + `]?,? sections? $`)
)

// findInside finds the sections of its own text that a text of docs/spec mentions, as "(6.4)" or "section 6".
func findInside(name, source string) []citation {
	var found []citation
	joined, starts := joinLines(source)
	for _, m := range inside.FindAllStringSubmatchIndex(joined, -1) {
		for _, at := range [][]int{m[2:4], m[4:6]} {
			if at[0] >= 0 && !namedBefore.MatchString(joined[:at[0]]) {
				line := sort.SearchInts(starts, at[0]+1)
				found = append(found, citation{text: name, section: joined[at[0]:at[1]], line: line})
			}
		}
	}
	return found
}
