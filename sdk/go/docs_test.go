// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wkrc_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestDocumentedCode checks that each block of Go in the documents is code of the examples, which compile and run.
func TestDocumentedCode(t *testing.T) {
	examples, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	code := plain(string(examples))
	for page, least := range map[string]int{"go.md": 5} {
		t.Run(page, func(t *testing.T) {
			text, err := os.ReadFile("../../docs/develop/" + page)
			if err != nil {
				t.Fatal(err)
			}
			blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(text), -1)
			if len(blocks) < least {
				t.Fatalf("%d blocks of Go, want %d at least", len(blocks), least)
			}
			for _, b := range blocks {
				if !strings.Contains(code, plain(b[1])) {
					t.Errorf("no example has this block:\n%s", b[1])
				}
			}
		})
	}
}

// plain returns code without indentation.
func plain(code string) string {
	lines := strings.Split(strings.TrimSpace(code), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSpace(l)
	}
	return strings.Join(lines, "\n")
}
