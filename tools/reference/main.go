// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Command reference writes the generated pages of docs/reference: the tests of the programs in cmd, of
// dev/devchain and internal/door, which check the pages, write them. Run it in the root of the repository.
//
//	go run ./tools/reference
//
// Package page has the pages of flags and metrics, package describe those of RPC methods.
package main

import (
	"fmt"
	"os"
	"os/exec"
)

func main() {
	command := exec.Command("go", "test", "-count=1", "-run", "^TestReferenceIsCurrent$",
		"./cmd/gwon", "./cmd/gwon-dev", "./dev/devchain", "./internal/door")
	command.Env = append(os.Environ(), "GWON_TEST_WRITE_PAGES=1")
	command.Stdout, command.Stderr = os.Stderr, os.Stderr
	if err := command.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "reference:", err)
		os.Exit(1)
	}
}
