// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package wbft_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// The tests and scenarios that docs/consensus.md and its table of bounds name as holding a rule are there.
func TestManualNamesTests(t *testing.T) {
	manual := must.Get(os.ReadFile("../../docs/consensus.md"))(t)
	bounds := must.Get(os.ReadFile("../../docs/reference/block-bounds.csv"))(t)
	manual = append(manual, bounds...)
	have := make(map[string]bool)
	for _, root := range []string{".", "../../core", "../../eth", "../../tests"} {
		must.Do(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			source, err := os.ReadFile(path)
			for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllSubmatch(source, -1) {
				have[string(m[1])] = true
			}
			return err
		}))
	}
	named := regexp.MustCompile(`\bTest[A-Z]\w+`).FindAllString(string(manual), -1)
	must.That(t, len(named) >= 50, "%d tests are named", len(named))
	for _, name := range named {
		expect.That(t, have[name], "%s does not exist", name)
	}
	for _, m := range regexp.MustCompile("scenario `([a-z-]+)`").FindAllSubmatch(manual, -1) {
		expect.Error(t, expect.Err(os.Stat(filepath.Join("sim", "testdata", string(m[1])+".txt"))), nil, "scenario %s", m[1])
	}
}
