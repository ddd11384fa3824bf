// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Command prose checks the Markdown files of the repository: lines of at most 100 columns, whole tables and sentences
// of at most 30 words. A semicolon or colon ends a sentence here, too.
//
// It checks the heads of upstream/patches by the same limit of words. Their lines and those that they add
// to upstream have at most 120 columns, as all code.
//
// Tables, code and headings are not prose. Files that do not pass yet are listed in not-yet-checked.txt,
// by rule. A listed file that passes is a finding, too, so that the list only shrinks.
//
//	go run ./tools/prose
package main

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

const (
	maxColumns     = 100
	maxCodeColumns = 120
	maxWords       = 30
)

//go:embed not-yet-checked.txt
var notYetChecked string

// finding is one fault in a file; rule is "columns" or "sentences".
type finding struct {
	line int
	rule string
	text string
}

func main() {
	faults, err := run(".", notYetChecked)
	if err != nil {
		fmt.Fprintln(os.Stderr, "prose:", err)
		os.Exit(2)
	}
	for _, fault := range faults {
		fmt.Println(fault)
	}
	if len(faults) > 0 {
		os.Exit(1)
	}
}

// run checks the Markdown files and patches that git tracks under root, but not by the rules that the list excuses.
func run(root, list string) ([]string, error) {
	out, err := exec.Command("git", "-C", root, "ls-files", "-z", "*.md", "upstream/patches/*.patch").Output()
	if err != nil {
		return nil, fmt.Errorf("list the Markdown files and patches of %s with git: %w", root, err)
	}
	excused := make(map[string]bool)
	for line := range strings.Lines(list) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			excused[line] = true
		}
	}
	var faults []string
	needed := make(map[string]bool)
	for _, file := range strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 }) {
		source, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if err != nil {
			return nil, err
		}
		found := check(string(source), maxColumns)
		if filepath.Ext(file) == ".patch" {
			found = checkPatch(string(source))
		}
		for _, f := range found {
			if entry := file + " " + f.rule; excused[entry] {
				needed[entry] = true
				continue
			}
			faults = append(faults, fmt.Sprintf("%s:%d: %s: %s", file, f.line, f.rule, f.text))
		}
	}
	for entry := range excused {
		if !needed[entry] {
			faults = append(faults, fmt.Sprintf("tools/prose/not-yet-checked.txt: %s passes, remove the line", entry))
		}
	}
	return faults, nil
}

// check finds the faults of one Markdown file whose lines may have a number of columns.
func check(source string, columns int) []finding {
	var found []finding
	var paragraph strings.Builder
	begin, code := 0, false
	flush := func() {
		for _, sentence := range sentences(paragraph.String()) {
			if n := countWords(sentence); n > maxWords {
				text := fmt.Sprintf("%d words, %d are allowed: %s", n, maxWords, sentence)
				found = append(found, finding{begin, "sentences", text})
			}
		}
		paragraph.Reset()
	}
	lines := strings.Split(source, "\n")
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		fence := strings.HasPrefix(trimmed, "```")
		switch {
		case fence:
			flush()
			code = !code
			continue
		case code:
			continue
		case strings.HasPrefix(trimmed, "|") && (i == 0 || lines[i-1] == "") && !separated(lines[i+1:]):
			found = append(found, finding{i + 1, "tables", "a row behind an empty line is in no table"})
		}
		switch {
		case trimmed == "", strings.HasPrefix(trimmed, "|"), strings.HasPrefix(trimmed, "#"), strings.HasPrefix(trimmed, "<"):
			flush()
			continue
		}
		// A line of one word, as a long link, cannot be broken.
		if strings.Contains(trimmed, " ") {
			found = append(found, checkColumns(i+1, line, columns)...)
		}
		if content, ok := cutItem(trimmed); ok {
			flush()
			trimmed = content
		}
		if paragraph.Len() == 0 {
			begin = i + 1
		}
		paragraph.WriteString(trimmed + " ")
	}
	flush()
	return found
}

// separated reports whether lines begin with what is below the head of a table.
func separated(lines []string) bool {
	return len(lines) > 0 && strings.HasPrefix(lines[0], "|") && strings.Trim(lines[0], "|-: ") == ""
}

// checkColumns finds the fault of a line that has more columns than are allowed.
func checkColumns(number int, line string, columns int) []finding {
	n := utf8.RuneCountInString(line)
	if n <= columns {
		return nil
	}
	return []finding{{number, "columns", fmt.Sprintf("%d columns, %d are allowed", n, columns)}}
}

// cutItem removes the mark of a list item and reports whether there was one.
func cutItem(line string) (string, bool) {
	for _, mark := range []string{"* ", "- ", "+ "} {
		if rest, ok := strings.CutPrefix(line, mark); ok {
			return rest, true
		}
	}
	number, rest, ok := strings.Cut(line, ". ")
	if ok && number != "" && len(number) <= 3 && strings.Trim(number, "0123456789") == "" {
		return rest, true
	}
	return line, false
}

// sentences splits text behind full stops, question marks, semicolons and colons that a blank follows.
func sentences(text string) []string {
	var all []string
	start := 0
	for i := 0; i+1 < len(text); i++ {
		if strings.IndexByte(".?!;:", text[i]) >= 0 && text[i+1] == ' ' {
			all = append(all, strings.TrimSpace(text[start:i+1]))
			start = i + 1
		}
	}
	return append(all, strings.TrimSpace(text[start:]))
}

// countWords counts the words that have a letter; what is between backticks is one word.
func countWords(sentence string) int {
	n := 0
	for i, part := range strings.Split(sentence, "`") {
		if i%2 == 1 {
			n++
			continue
		}
		for word := range strings.FieldsSeq(part) {
			if strings.ContainsFunc(word, func(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' }) {
				n++
			}
		}
	}
	return n
}
