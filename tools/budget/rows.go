// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// file holds a line "NAME NUMBER" for each row, and comments.
const file = "tools/budget/budget.txt"

const header = "# Sizes of the tree. tools/budget writes and holds them, and CONTRIBUTING.md has the rule.\n"

func readRows(root string) (map[string]int, error) {
	text, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		return nil, fmt.Errorf("read the budget: %w: go run ./tools/budget -init writes it", err)
	}
	return parseRows(file, string(text))
}

// parseRows returns the rows of a table by name. Errors begin with the name of the table.
func parseRows(table, text string) (map[string]int, error) {
	rows := make(map[string]int)
	number := 0
	for line := range strings.Lines(text) {
		number++
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if len(words) != 2 {
			return nil, fmt.Errorf("%s:%d: %q is no row: write NAME NUMBER", table, number, strings.TrimSpace(line))
		}
		value, err := strconv.ParseUint(words[1], 10, 31)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %q is no number of a row: write digits alone", table, number, words[1])
		}
		if _, twice := rows[words[0]]; twice {
			return nil, fmt.Errorf("%s:%d: row %s stands there twice: keep one", table, number, words[0])
		}
		rows[words[0]] = int(value)
	}
	return rows, nil
}

func writeRows(root string, figures []figure) error {
	text := strings.Builder{}
	text.WriteString(header)
	for _, f := range figures {
		fmt.Fprintf(&text, "%s %d\n", f.name, f.value)
	}
	return os.WriteFile(filepath.Join(root, file), []byte(text.String()), 0o644) //nolint:gosec // a public file
}

// raise is a row that is higher than at the base, beyond what commits since then explain.
type raise struct {
	name             string
	raise, explained int
}

var explanation = regexp.MustCompile(`(?m)^budget: (\S+) \+(\d{1,9}) because \S`)

// unexplained returns raises of rows that the bodies of commits since the base do not cover. A base from before the
// table allows every row.
func unexplained(root, base string, rows map[string]int) (raised []raise, err error) {
	if _, err := git(root, "rev-parse", "--quiet", "--verify", "--end-of-options", base+"^{commit}"); err != nil {
		return nil, fmt.Errorf("base %q is no commit of this clone: fetch its history or give another: %w", base, err)
	}
	if found, err := git(root, "ls-tree", "--name-only", base, "--", file); err != nil || found == "" {
		return nil, err
	}
	text, err := git(root, "show", base+":"+file)
	if err != nil {
		return nil, err
	}
	before, err := parseRows(base+":"+file, text)
	if err != nil {
		return nil, err
	}
	bodies, err := git(root, "log", "--format=%b", base+"..HEAD")
	if err != nil {
		return nil, err
	}
	explained := make(map[string]int)
	for _, m := range explanation.FindAllStringSubmatch(bodies, -1) {
		n, err := strconv.Atoi(m[2])
		if err != nil {
			return nil, err
		}
		explained[m[1]] += n
	}
	for _, name := range sorted(rows) {
		if more := rows[name] - before[name]; more > explained[name] {
			raised = append(raised, raise{name, more, explained[name]})
		}
	}
	return raised, nil
}

// git returns what a command of git prints.
func git(root string, args ...string) (string, error) {
	return output(exec.Command("git", append([]string{"-C", root}, args...)...)) //nolint:gosec // names of this repository
}

// output returns what a command prints. An error has what the command wrote about it.
func output(cmd *exec.Cmd) (string, error) {
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args[:min(len(cmd.Args), 4)], " "), err,
			strings.TrimSpace(said.String()))
	}
	return string(out), nil
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
