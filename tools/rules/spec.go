// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// textNames are the texts of docs/spec, each in the file of that name.
var textNames = []string{"chain", "network", "rpc", "system-contracts", "transactions", "wbft"}

// text is one file of docs/spec.
type text struct {
	order    []string // numbers of the sections, as they follow each other
	sections map[string]*section
}

// section is a numbered heading with all that follows until the next heading of its level or above.
type section struct {
	title  string
	anchor string          // id of the anchor above the heading, empty if there is none
	items  map[string]bool // numbers of its lists and of its table rows
}

var (
	headingLine = regexp.MustCompile(`^(#{2,4}) (?:(\d+(?:\.\d+)*)\.?|Appendix ([A-Z])\.) (.+)$`)
	anyHeading  = regexp.MustCompile(`^#{1,6} `)
	anchorLine  = regexp.MustCompile(`^<a id="([^"]*)"></a>$`)
	listItem    = regexp.MustCompile(`^\s*(\d+)\. `)
	stepItem    = regexp.MustCompile(`^(?:[*-] )?\**[Ss]tep (\d+)\b`)
	tableRow    = regexp.MustCompile(`^\s*\| *\**((\d+)[a-d]?|[a-z])\** *\|`)
)

// loadSpec reads the texts under root by name.
func loadSpec(root string) (map[string]*text, error) {
	spec := make(map[string]*text)
	for _, name := range textNames {
		data, err := os.ReadFile(filepath.Join(root, "docs", "spec", name+".md"))
		if err != nil {
			return nil, err
		}
		if spec[name], err = parseText(string(data)); err != nil {
			return nil, fmt.Errorf("docs/spec/%s.md: %w", name, err)
		}
	}
	return spec, nil
}

// parseText finds the sections of a text. An item counts for its section and for all sections around it.
func parseText(source string) (*text, error) {
	t := &text{sections: make(map[string]*section)}
	var current, anchor string
	for n, line := range strings.Split(source, "\n") {
		if m := anchorLine.FindStringSubmatch(line); m != nil {
			anchor = m[1]
			continue
		}
		if m := headingLine.FindStringSubmatch(line); m != nil {
			current = m[2]
			if m[3] != "" {
				current = "appendix-" + strings.ToLower(m[3])
			}
			if t.sections[current] != nil {
				return nil, fmt.Errorf("line %d: section %s is there twice, renumber it", n+1, current)
			}
			t.order = append(t.order, current)
			t.sections[current] = &section{title: m[4], anchor: anchor, items: make(map[string]bool)}
			anchor = ""
			continue
		}
		if anyHeading.MatchString(line) {
			current, anchor = "", ""
			continue
		}
		for _, form := range []*regexp.Regexp{listItem, stepItem, tableRow} {
			for _, item := range form.FindStringSubmatch(line) {
				t.addItem(current, item)
			}
		}
	}
	return t, nil
}

func (t *text) addItem(number, item string) {
	for number != "" {
		if s := t.sections[number]; s != nil {
			s.items[item] = true
		}
		end := strings.LastIndexByte(number, '.')
		if end < 0 {
			return
		}
		number = number[:end]
	}
}
