// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"regexp"
	"slices"
	"sort"
	"strings"
)

// citation is one mention of a section.
type citation struct {
	text    string
	section string
	items   []string // numbers of a list or of table rows in that section
	line    int      // where the mention begins, from 1
}

const (
	names   = `(wbft|chain|network|rpc|transactions|system-contracts)`
	between = `["'` + "`" + `]?(?:\.md["'` + "`" + `]?)?,?`
)

var (
	// listStart begins a list of citations after the word spec: there, whole numbers are sections, too.
	listStart = regexp.MustCompile(`(?i)\bspec(?:ification)?"?(?::|/|\s)\s*["` + "`" + `]?` +
		names + between + `\s+(?:section\s+)?\d`)
	// bareStart is a citation without that word. A dot or a list number tells it from a chain or network id.
	bareStart = regexp.MustCompile(`\b` + names + between + `\s+(?:section\s+)?(?:\d{1,2}\.\d{1,2}\b|\d{1,2},? nos?\. \d)`)
	// fileStart is a citation by file name, or by the word section.
	fileStart = regexp.MustCompile(`\b` + names + `(?:\.md["` + "`" + `]?,?\s+(?:section\s+)?|,?\s+section\s+)\d{1,2}\b`)

	textToken    = regexp.MustCompile(`^(?i:spec\s+)?` + names + between + `\s+(?:section\s+)?(\d)`)
	sectionToken = regexp.MustCompile(`^(\d{1,2}(?:\.\d{1,2})*)\b`)
	itemWord     = regexp.MustCompile(`^,?\s*(?:nos?\.|rows?|steps?|items?)\s+`)
	itemToken    = regexp.MustCompile(`^(\d{1,2}[a-d]?|[a-z])\b`)
	thousands    = regexp.MustCompile(`^\d{1,3}( \d{3})+\b`)
	separator    = regexp.MustCompile(`^(?:\s*[,;]\s*(?:and\s+)?|\s+(?:and|to|or)\s+)`)
	aside        = regexp.MustCompile(`^,?\s+[A-Z][A-Z-]+\b`) // the kind of message in "wbft 5.7, COMMIT; 5.8"

	lineMark = regexp.MustCompile(`^[+-]?\s*(?://+|/?\*+|#+|;+|--)?\s*`)
)

// findCitations finds the citations in a file, those that go over the end of a line included.
func findCitations(source string) []citation {
	joined, starts := joinLines(source)
	var found []citation
	done := 0
	for _, begin := range citationStarts(joined) {
		if begin < done {
			continue
		}
		line := sort.SearchInts(starts, begin+1)
		cited, end := readList(joined[begin:])
		for _, c := range cited {
			c.line = line
			found = append(found, c)
		}
		done = begin + end
	}
	return found
}

// joinLines returns the source without line ends and marks of comments, and where each line starts in it.
func joinLines(source string) (string, []int) {
	var b strings.Builder
	var starts []int
	for line := range strings.Lines(source) {
		starts = append(starts, b.Len())
		line = strings.TrimSpace(line)
		b.WriteString(line[len(lineMark.FindString(line)):])
		b.WriteByte(' ')
	}
	return b.String(), starts
}

// citationStarts returns the offsets of the names of texts with which citations begin, in order.
func citationStarts(joined string) []int {
	var starts []int
	for _, form := range []*regexp.Regexp{listStart, bareStart, fileStart} {
		for _, m := range form.FindAllStringSubmatchIndex(joined, -1) {
			// docs/system-contracts.md is not the text of docs/spec.
			if !strings.HasSuffix(joined[:m[2]], "docs/") {
				starts = append(starts, m[2])
			}
		}
	}
	slices.Sort(starts)
	return slices.Compact(starts)
}

// readList reads citations at the start of s, "wbft 5.7 nos. 4 to 6, 9.1; chain 3", and returns them with their length.
func readList(s string) ([]citation, int) {
	var list []citation
	var name string
	pos, inItems := 0, false
	for {
		rest := s[pos:]
		if m := textToken.FindStringSubmatchIndex(rest); m != nil {
			name, inItems = strings.ToLower(rest[m[2]:m[3]]), false
			pos += m[4]
			rest = s[pos:]
		}
		if thousands.MatchString(rest) {
			return list, pos
		}
		m := sectionToken.FindStringSubmatch(rest)
		switch {
		case inItems && (m == nil || !strings.Contains(m[1], ".")):
			item := itemToken.FindString(rest)
			if item == "" {
				return list, pos
			}
			last := &list[len(list)-1]
			last.items = append(last.items, item)
			pos += len(item)
		case m != nil && name != "":
			list, inItems = append(list, citation{text: name, section: m[1]}), false
			pos += len(m[1])
		default:
			return list, pos
		}
		if !inItems {
			if len := len(itemWord.FindString(s[pos:])); len > 0 && itemToken.MatchString(s[pos+len:]) {
				pos, inItems = pos+len, true
				continue
			}
		}
		end := pos
		end += len(aside.FindString(s[end:]))
		next := separator.FindString(s[end:])
		if next == "" {
			return list, pos
		}
		if strings.Contains(next, ";") {
			inItems = false
		}
		pos = end + len(next)
	}
}
