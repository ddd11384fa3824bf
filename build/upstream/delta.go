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
)

// Limits of the delta, see docs/architecture.md.
const (
	maxFiles = 60
	maxLines = 500
)

// delta counts what the patches change in each upstream file.
type delta struct{ added, removed int64 }

func (p *project) delta() (map[string]*delta, error) {
	files := make(map[string]*delta)
	for _, n := range p.patches {
		pt, err := p.readPatch(n)
		if err != nil {
			return nil, err
		}
		for _, f := range pt.files {
			d := files[f.NewName]
			if d == nil {
				d = new(delta)
				files[f.NewName] = d
			}
			for _, frag := range f.TextFragments {
				d.added += frag.LinesAdded
				d.removed += frag.LinesDeleted
			}
		}
	}
	return files, nil
}

func (p *project) printDelta(w io.Writer, check bool) error {
	files, err := p.delta()
	if err != nil {
		return err
	}
	names := make([]string, 0, len(files))
	var sum delta
	for n, d := range files {
		names = append(names, n)
		sum.added += d.added
		sum.removed += d.removed
	}
	slices.Sort(names)
	for _, n := range names {
		fmt.Fprintf(w, "%5d +%-4d -%-4d %s\n", files[n].added+files[n].removed, files[n].added, files[n].removed, n)
	}
	lines, tests := 0, 0
	for _, s := range p.siblings {
		data, err := os.ReadFile(filepath.Join(p.siblingDir(), filepath.FromSlash(s)))
		if err != nil {
			return err
		}
		n := strings.Count(string(data), "\n")
		if strings.HasSuffix(s, ".go") && !strings.HasSuffix(s, "_test.go") {
			lines += n
			fmt.Fprintf(w, "%5d sibling     %s\n", n, s)
		} else {
			tests++
		}
	}
	fmt.Fprintf(w, "patches %d, upstream files touched %d (limit %d), lines +%d -%d = %d (limit %d); siblings %d files, %d lines (plus %d test files)\n",
		len(p.patches), len(names), maxFiles, sum.added, sum.removed, sum.added+sum.removed, maxLines, len(p.siblings)-tests, lines, tests)
	if check && (len(names) > maxFiles || sum.added+sum.removed > maxLines) {
		return fmt.Errorf("the delta is above its limit of %d files or %d lines: move logic from patches to siblings", maxFiles, maxLines)
	}
	return nil
}

// printPackages lists the upstream packages that hold a patched file or a sibling, as patterns for go test.
func (p *project) printPackages(w io.Writer) error {
	files, err := p.delta()
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
