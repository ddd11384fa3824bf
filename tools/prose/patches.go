// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"slices"
	"strings"
)

// checkPatch finds the faults of one patch: of its head, which is prose, and of the lines that it adds.
func checkPatch(source string) []finding {
	head, diff, _ := strings.Cut("\n"+source, "\ndiff --git ")
	head = strings.TrimPrefix(head, "\n")
	found := check(head, maxCodeColumns)
	first := strings.Count(head, "\n") + 2 // the line behind that of "diff --git"
	_, diff, _ = strings.Cut(diff, "\n")
	var removed []string // by the change that a line belongs to
	inFragment := false
	for i, line := range strings.Split(diff, "\n") {
		switch {
		case strings.HasPrefix(line, "diff --git "):
			inFragment, removed = false, nil
		case strings.HasPrefix(line, "@@ "):
			inFragment, removed = true, nil
		case !inFragment: // names of files
		case strings.HasPrefix(line, "-"):
			removed = append(removed, line[1:])
		case strings.HasPrefix(line, "+"):
			if !isUpstreams(line[1:], removed) {
				found = append(found, checkColumns(first+i+1, line[1:], maxCodeColumns)...)
			}
		default:
			removed = nil
		}
	}
	return found
}

// isUpstreams reports whether an added line is one of the removed lines with a word changed or added, and that line has
// more columns than are allowed. Breaking it would make the difference to upstream larger.
func isUpstreams(added string, removed []string) bool {
	return slices.ContainsFunc(removed, func(line string) bool {
		return len(checkColumns(0, line, maxCodeColumns)) > 0 && kept(line, added)*10 >= len(line)*9
	})
}

// kept returns how many bytes of a line are left around the one place where it was changed.
func kept(before, after string) int {
	most := min(len(before), len(after))
	begin := 0
	for begin < most && before[begin] == after[begin] {
		begin++
	}
	end := 0
	for end < most-begin && before[len(before)-1-end] == after[len(after)-1-end] {
		end++
	}
	return begin + end
}
