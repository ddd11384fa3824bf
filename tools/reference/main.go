// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Command reference writes the generated pages of docs/reference, as the programs in cmd print them.
// Run it in the root of the repository.
//
//	go run ./tools/reference
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "reference:", err)
		os.Exit(1)
	}
}

func run() (err error) {
	dir, err := os.MkdirTemp("", "gwon-reference-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	build := exec.Command("go", "build", "-o", dir, "./cmd/gwon", "./cmd/gwon-dev", "./cmd/gwon-pay")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("build the programs: %w", err)
	}
	for _, page := range []struct {
		file, program string
		args          []string
	}{
		{"flags.md", "gwon", []string{"flags"}},
		{"metrics.md", "gwon", []string{"metrics"}},
		{"gwon.md", "gwon", []string{"commands"}},
		{"gwon-dev.md", "gwon-dev", []string{"commands"}},
		{"gwon-pay.md", "gwon-pay", []string{"commands"}},
		{"openrpc.json", "gwon-dev", []string{"openrpc", conversations}},
		{"rpc.md", "gwon-dev", []string{"rpc", conversations}},
		{"differences.md", "gwon-dev", []string{"differences", conversations}},
	} {
		if err := write(page.file, filepath.Join(dir, page.program), page.args...); err != nil {
			return err
		}
	}
	return nil
}

// conversations is the directory with the examples of RPC methods.
const conversations = "tests/rpc"

// write stores what `PROGRAM reference ARGS` prints as a file of docs/reference.
func write(file, program string, args ...string) error {
	cmd := exec.Command(program, append([]string{"reference"}, args...)...) //nolint:gosec // one of those above
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("print %s with %s: %w", file, filepath.Base(program), err)
	}
	return os.WriteFile(filepath.Join("docs", "reference", file), text, 0o644) //nolint:gosec // a public page
}
