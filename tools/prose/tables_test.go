// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"testing"
)

// Programs can read the figures: a line has all columns, also if a figure has a comma in it.
func TestTables(t *testing.T) {
	content, err := os.ReadFile(filepath.Join("..", "..", "docs", "load.csv"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) < 100 {
		t.Errorf("%d rows", len(rows))
	}
}
