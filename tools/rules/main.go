// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	root := flag.String("root", ".", "directory of the repository")
	untested := flag.Bool("untested", false, "list only the sections that no test cites")
	flag.Parse()

	out := bufio.NewWriter(os.Stdout)
	err := run(out, *root, *untested)
	if flushed := out.Flush(); err == nil {
		err = flushed
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "rules:", err)
		os.Exit(1)
	}
}

// run writes one line for each section, and below it the tests that cite the section.
func run(out io.Writer, root string, untested bool) error {
	spec, err := loadSpec(root)
	if err != nil {
		return err
	}
	files, err := trackedFiles(root)
	if err != nil {
		return err
	}
	tests, err := testsByRule(root, files)
	if err != nil {
		return err
	}
	for _, text := range textNames {
		for _, section := range spec[text].order {
			citing := tests[rule{text, section}]
			if untested && len(citing) > 0 {
				continue
			}
			fmt.Fprintf(out, "%s %s  %s\n", text, section, spec[text].sections[section].title)
			if len(citing) > 0 {
				fmt.Fprintf(out, "    %s\n", strings.Join(citing, "\n    "))
			}
		}
	}
	return nil
}
