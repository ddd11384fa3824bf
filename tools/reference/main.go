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
	for _, page := range []struct {
		file string
		args []string
	}{
		{"flags.md", []string{"flags"}},
		{"metrics.md", []string{"metrics"}},
		{"openrpc.json", []string{"openrpc", conversations}},
		{"rpc.md", []string{"rpc", conversations}},
		{"differences.md", []string{"differences", conversations}},
	} {
		if err := write(page.file, page.args...); err != nil {
			fmt.Fprintln(os.Stderr, "reference:", err)
			os.Exit(1)
		}
	}
}

// conversations is the directory with the examples of RPC methods.
const conversations = "tests/rpc"

// write stores what `gwon reference ARGS` prints as a file of docs/reference.
func write(file string, args ...string) error {
	args = append([]string{"run", "./cmd/gwon", "reference"}, args...)
	cmd := exec.Command("go", args...) //nolint:gosec // one of the constants above
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("print %s with gwon: %w", file, err)
	}
	return os.WriteFile(filepath.Join("docs", "reference", file), text, 0o644) //nolint:gosec // a public page
}
