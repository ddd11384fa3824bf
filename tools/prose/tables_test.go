// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"testing"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// Programs can read the figures: a line has all columns, also if a figure has a comma in it.
func TestTables(t *testing.T) {
	for file, least := range map[string]int{
		"load.csv": 100, "reference/block-bounds.csv": 15, "reference/peer-bounds.csv": 20,
		"reference/reading-bounds.csv": 25, "reference/wbft-spec-deviations.csv": 14,
		"reference/worst-messages.csv": 15, "reference/event-differences.csv": 6, "reference/explorer-bounds.csv": 10,
	} {
		t.Run(file, func(t *testing.T) {
			content := must.Get(os.ReadFile(filepath.Join("..", "..", "docs", filepath.FromSlash(file))))(t)
			rows := must.Get(csv.NewReader(bytes.NewReader(content)).ReadAll())(t)
			expect.That(t, len(rows) >= least, "%d rows", len(rows))
		})
	}
}
