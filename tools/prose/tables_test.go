// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"testing"
)

// Programs can read the figures: a line has all columns, also if a figure has a comma in it.
func TestTables(t *testing.T) {
	file, err := os.Open(filepath.Join("..", "..", "docs", "load.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) < 100 {
		t.Errorf("%d rows", len(rows))
	}
}
