// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

// delta counts changed lines.
type delta struct{ added, removed int64 }

// row is a line of the table of patches.
type row struct {
	patch string
	files int
	delta delta
	why   string // the first sentence of the patch's head
}

// patchTable returns a row for each patch, in order of application, and the upstream files that all of them change.
func (p *project) patchTable() (rows []row, files map[string]*delta, err error) {
	files = make(map[string]*delta)
	for _, n := range p.patches {
		pt, err := p.readPatch(n)
		if err != nil {
			return nil, nil, err
		}
		r := row{patch: n, files: len(pt.files), why: firstSentence(pt.header)}
		for _, f := range pt.files {
			d := files[f.NewName]
			if d == nil {
				d = new(delta)
				files[f.NewName] = d
			}
			for _, frag := range f.TextFragments {
				d.add(delta{frag.LinesAdded, frag.LinesDeleted})
				r.delta.add(delta{frag.LinesAdded, frag.LinesDeleted})
			}
		}
		rows = append(rows, r)
	}
	return rows, files, nil
}

func (d *delta) add(other delta) {
	d.added += other.added
	d.removed += other.removed
}

// firstSentence returns the text up to the first full stop that ends a word, on one line.
func firstSentence(text string) string {
	words := strings.Fields(text)
	for i, w := range words {
		if strings.HasSuffix(w, ".") {
			return strings.Join(words[:i+1], " ")
		}
	}
	return strings.Join(words, " ")
}

// checkNumbers returns an error unless the patches are numbered from 0001 without gaps.
func checkNumbers(patches []string) error {
	for i, n := range patches {
		if want := fmt.Sprintf("%04d-", i+1); !strings.HasPrefix(n, want) {
			return fmt.Errorf("patch %s has to begin with %s: rename it, and those behind it", n, want)
		}
	}
	return nil
}

func (p *project) printDelta(w io.Writer, check bool) error {
	rows, files, err := p.patchTable()
	if err != nil {
		return err
	}
	var sum delta
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "PATCH\tFILES\tLINES\tWHY")
	for _, r := range rows {
		sum.add(r.delta)
		fmt.Fprintf(table, "%s\t%d\t+%d -%d\t%s\n", r.patch, r.files, r.delta.added, r.delta.removed, r.why)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	lines, tests := 0, 0
	for _, s := range p.siblings {
		data, err := os.ReadFile(filepath.Join(p.siblingDir(), filepath.FromSlash(s)))
		if err != nil {
			return err
		}
		if strings.HasSuffix(s, ".go") && !strings.HasSuffix(s, "_test.go") {
			lines += strings.Count(string(data), "\n")
		} else {
			tests++
		}
	}
	fmt.Fprintf(w, "\n%d patches change %d upstream files in %d lines, +%d -%d\n",
		len(rows), len(files), sum.added+sum.removed, sum.added, sum.removed)
	fmt.Fprintf(w, "%d siblings have %d lines, besides %d files of tests\n", len(p.siblings)-tests, lines, tests)
	if !check {
		return nil
	}
	return checkNumbers(p.patches)
}

// printPackages lists the upstream packages that hold a patched file or a sibling, as patterns for go test.
func (p *project) printPackages(w io.Writer) error {
	_, files, err := p.patchTable()
	if err != nil {
		return err
	}
	var dirs []string
	for n := range files {
		dirs = append(dirs, path.Dir(n))
	}
	for _, s := range p.siblings {
		if strings.HasSuffix(s, ".go") {
			dirs = append(dirs, path.Dir(s))
		}
	}
	slices.Sort(dirs)
	for _, d := range slices.Compact(dirs) {
		fmt.Fprintln(w, "./"+d)
	}
	return nil
}
