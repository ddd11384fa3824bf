// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Command reference writes the generated pages of docs/reference, as the program in cmd/gwon prints them.
// Run it in the root of the repository.
//
//	go run ./tools/reference
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

func main() {
	for _, page := range []string{"flags", "metrics"} {
		if err := write(page); err != nil {
			fmt.Fprintln(os.Stderr, "reference:", err)
			os.Exit(1)
		}
	}
}

// write stores what `gwon reference PAGE` prints as docs/reference/PAGE.md.
func write(page string) error {
	cmd := exec.Command("go", "run", "./cmd/gwon", "reference", page) //nolint:gosec // page is one of two constants
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("print the page %s with gwon: %w", page, err)
	}
	return os.WriteFile(filepath.Join("docs", "reference", page+".md"), text, 0o644) //nolint:gosec // a public page
}
