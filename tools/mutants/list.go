// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// mutant is a one-line fault.
type mutant struct {
	file     string // from the root of the module
	old, new string // the line without its indentation
	rule     string // that the fault breaks
	pkg      string // whose tests have to notice it, as ./path
	tests    []string
	endless  bool // a test that does not end has noticed it too
}

// parse reads the list: records divided by empty lines, each of the lines
//
//	path/of/file.go
//	- the line as it is
//	+ the line with the fault; nothing behind the sign takes the line away
//	: the rule that it breaks
//	> ./package TestOne TestTwo [endless]
//
// Lines that begin with # are remarks.
func parse(list string) ([]mutant, error) {
	var mutants []mutant
	seen := make(map[string]bool)
	for record := range strings.SplitSeq(list, "\n\n") {
		var m mutant
		var lines []string
		for line := range strings.SplitSeq(record, "\n") {
			if line != "" && !strings.HasPrefix(line, "#") {
				lines = append(lines, line)
			}
		}
		if len(lines) == 0 {
			continue
		}
		fail := func(reason string) ([]mutant, error) {
			return nil, fmt.Errorf("mutants.txt: %s: in the record\n%s", reason, record)
		}
		if len(lines) != 5 {
			return fail("a record has five lines")
		}
		m.file = lines[0]
		for i, field := range []*string{&m.old, &m.new, &m.rule} {
			rest, ok := strings.CutPrefix(lines[i+1], []string{"-", "+", ":"}[i])
			if !ok {
				return fail("lines begin with -, +, : and >")
			}
			*field = strings.TrimSpace(rest)
		}
		killers, ok := strings.CutPrefix(lines[4], "> ")
		words := strings.Fields(killers)
		if !ok || len(words) < 2 {
			return fail("the last line has a package and tests")
		}
		m.pkg, m.tests = words[0], words[1:]
		if m.tests[len(m.tests)-1] == "endless" {
			m.tests, m.endless = m.tests[:len(m.tests)-1], true
		}
		switch key := m.file + "\n" + m.old + "\n" + m.new; {
		case m.old == "" || m.rule == "" || m.old == m.new || len(m.tests) == 0:
			return fail("no line, no rule, no fault or no test")
		case seen[key]:
			return fail("the fault stands there twice")
		default:
			seen[key] = true
		}
		mutants = append(mutants, m)
	}
	return mutants, nil
}

// choose returns one mutant in n, which ones depends on the seed.
func choose(mutants []mutant, seed string, n int) []mutant {
	rank := func(m mutant) string {
		sum := sha256.Sum256([]byte(seed + "\n" + m.file + "\n" + m.old + "\n" + m.new))
		return string(sum[:])
	}
	chosen := slices.SortedFunc(slices.Values(mutants), func(a, b mutant) int { return cmp.Compare(rank(a), rank(b)) })
	return chosen[:(len(chosen)+n-1)/n]
}

// mutate returns the source with the fault.
func (m *mutant) mutate(source string) (string, error) {
	lines := strings.Split(source, "\n")
	at := -1
	for i, line := range lines {
		if strings.TrimSpace(line) != m.old {
			continue
		}
		if at >= 0 {
			return "", errors.New("the list is stale: the line is there more than once")
		}
		at = i
	}
	if at < 0 {
		return "", errors.New("the list is stale: the line is not there")
	}
	lines[at] = m.new
	return strings.Join(lines, "\n"), nil
}

var failedTest = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)

// verdict reads who has noticed out of the output of tests that failed.
func (m *mutant) verdict(output string) (by string, err error) {
	if strings.Contains(output, "panic: test timed out") {
		if m.endless {
			return "a test that does not end", nil
		}
		return "", errors.New("not noticed: a test does not end")
	}
	if failed := failedTest.FindStringSubmatch(output); failed != nil {
		return failed[1], nil
	}
	if strings.Contains(output, "panic:") || strings.Contains(output, "fatal error:") {
		return "a panic", nil
	}
	return "", fmt.Errorf("failed without a failed test: %s", output)
}
