// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Command upstream makes and maintains build/go-ethereum, the tree that the main module compiles against: the pinned,
// verified go-ethereum module with the files of upstream/siblings linked in and upstream/patches applied.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

const usage = `usage: upstream [-root DIR] VERB

  materialise        make build/go-ethereum; does nothing when it is up to date (the default)
  force              the same, but throws away edits that were not saved
  edit NNNN-topic    make the tree with the patches up to and including this one, for editing
  save NNNN-topic    write what was edited in the tree to this patch, then make the whole tree again
  delta [-check]     print each patch with its files, lines and reason; -check fails at gaps of their numbers
  packages           print the upstream packages that patches or siblings touch
`

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "upstream:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	root := "."
	if len(args) >= 2 && args[0] == "-root" {
		root, args = args[1], args[2:]
	}
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	p, err := openProject(root)
	if err != nil {
		return err
	}
	verb := "materialise"
	if len(args) > 0 {
		verb, args = args[0], args[1:]
	}
	switch {
	case verb == "materialise" && len(args) == 0:
		return p.materialise("", false)
	case verb == "force" && len(args) == 0:
		return p.materialise("", true)
	case verb == "edit" && len(args) == 1:
		return p.edit(args[0])
	case verb == "save" && len(args) == 1:
		return p.save(args[0])
	case verb == "delta" && len(args) <= 1:
		return p.printDelta(os.Stdout, len(args) == 1 && args[0] == "-check")
	case verb == "packages" && len(args) == 0:
		return p.printPackages(os.Stdout)
	}
	return fmt.Errorf("unknown arguments\n%s", usage)
}
