// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	udiff "github.com/aymanbagabas/go-udiff"
	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// patch is one parsed file of upstream/patches.
type patch struct {
	name   string
	header string // the reason and spec section, everything before the first file
	files  []*gitdiff.File
}

func (p *project) readPatch(name string) (*patch, error) {
	data, err := os.ReadFile(p.patchFile(name))
	if err != nil {
		return nil, err
	}
	files, header, err := gitdiff.Parse(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("patch %s cannot be parsed: %w", name, err)
	}
	if strings.TrimSpace(header) == "" {
		return nil, fmt.Errorf(
			"patch %s does not say at its top why it cannot live outside upstream and which spec section it serves", name)
	}
	for _, f := range files {
		if f.IsNew || f.IsDelete || f.IsRename || f.IsCopy || f.IsBinary {
			return nil, fmt.Errorf("patch %s: %s: patches only change lines of existing text files; new files are siblings",
				name, f.NewName)
		}
	}
	return &patch{name, header, files}, nil
}

// apply changes the files below dir. Fragments are found again by their old lines when upstream has moved them.
func (pt *patch) apply(dir string) error {
	for _, f := range pt.files {
		path := filepath.Join(dir, filepath.FromSlash(f.NewName))
		src, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("patch %s changes %s, which this upstream version does not have", pt.name, f.NewName)
		} else if err != nil {
			return err
		}
		lines := strings.SplitAfter(string(src), "\n")
		for i, frag := range f.TextFragments {
			if err := relocate(frag, lines); err != nil {
				return fmt.Errorf("patch %s does not apply to %s, hunk %d of %d: %w", pt.name, f.NewName, i+1,
					len(f.TextFragments), err)
			}
		}
		var dst bytes.Buffer
		if err := gitdiff.Apply(&dst, bytes.NewReader(src), f); err != nil {
			return fmt.Errorf("patch %s does not apply to %s: %w", pt.name, f.NewName, err)
		}
		if err := os.WriteFile(path, dst.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// relocate sets the fragment's old position to the place nearest to the recorded one where its old lines stand.
func relocate(frag *gitdiff.TextFragment, lines []string) error {
	var old []string
	for _, l := range frag.Lines {
		if l.Old() {
			old = append(old, l.Line)
		}
	}
	want := int(frag.OldPosition) - 1
	fits := func(at int) bool {
		return at >= 0 && at+len(old) <= len(lines) && slices.Equal(lines[at:at+len(old)], old)
	}
	for d := 0; d <= len(lines); d++ {
		for _, at := range []int{want - d, want + d} {
			if fits(at) {
				frag.OldPosition = int64(at) + 1
				return nil
			}
		}
	}
	from, to := max(0, min(want-2, len(lines))), min(len(lines), max(0, want)+len(old)+2)
	return fmt.Errorf("it expects\n%s\nbut around line %d upstream now has\n%s", indent(old), want+1,
		indent(lines[from:to]))
}

func indent(lines []string) string {
	return "    " + strings.ReplaceAll(strings.TrimSuffix(strings.Join(lines, ""), "\n"), "\n", "\n    ")
}

// unified returns the change from before to after as a unified diff with git's file header, or "" when they are equal.
func unified(name string, before, after []byte) (string, error) {
	edits := udiff.Lines(string(before), string(after))
	body, err := udiff.ToUnified("a/"+name, "b/"+name, string(before), edits, 1) // one line of upstream around a change
	if err != nil || body == "" {
		return "", err
	}
	return fmt.Sprintf("diff --git a/%[1]s b/%[1]s\n%[2]s", name, body), nil
}
