// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/dirhash"
)

// newProject makes a project around a small stand-in for the upstream module, with one patch and one sibling.
func newProject(t *testing.T, files map[string]string) (*project, string) {
	t.Helper()
	root, pristine := t.TempDir(), t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(pristine, name), text)
	}
	sum, err := dirhash.HashDir(pristine, modulePath+"@v1.0.0", dirhash.Hash1)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "go.mod"), "module x\n\ngo 1.26\n\nrequire "+modulePath+" v1.0.0\n")
	write(t, filepath.Join(root, "upstream/go-ethereum.sum"), modulePath+" v1.0.0 "+sum+"\n")
	write(t, filepath.Join(root, "build/README"), "")
	return reopen(t, root, pristine), pristine
}

func reopen(t *testing.T, root, pristine string) *project {
	t.Helper()
	p, err := openProject(root)
	if err != nil {
		t.Fatal(err)
	}
	p.fetch = func() (string, error) { return pristine, nil }
	return p
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func lines(n int, change map[int]string) string {
	var b strings.Builder
	for i := range n {
		if text, ok := change[i]; ok {
			b.WriteString(text)
			continue
		}
		b.WriteString("line " + string(rune('a'+i%26)) + strings.Repeat("x", i/26) + "\n")
	}
	return b.String()
}

// What is edited in the tree, saved, and made again is the same; the tree holds siblings as links.
func TestEditSaveMaterialise(t *testing.T) {
	p, pristine := newProject(t, map[string]string{"core/a.go": lines(40, nil), "core/b.go": "b\n"})
	write(t, filepath.Join(p.root, "upstream/siblings/core/own.gwon.go"), "package core\n")
	p = reopen(t, p.root, pristine)
	if err := p.materialise("", false); err != nil {
		t.Fatal(err)
	}
	edited := lines(40, map[int]string{3: "changed\n", 30: ""})
	write(t, filepath.Join(p.tree(), "core/a.go"), edited)
	if err := p.save("0001-one"); err != nil {
		t.Fatal(err)
	}
	p = reopen(t, p.root, pristine)
	if err := p.materialise("", true); err != nil {
		t.Fatal(err)
	}
	if got := read(t, filepath.Join(p.tree(), "core/a.go")); got != edited {
		t.Errorf("the saved patch gives\n%s", got)
	}
	write(t, filepath.Join(p.root, "upstream/siblings/core/own.gwon.go"), "package core // edited\n")
	if got := read(t, filepath.Join(p.tree(), "core/own.gwon.go")); !strings.Contains(got, "edited") {
		t.Error("the sibling in the tree is a copy, not a link")
	}
	rows, files, err := p.patchTable()
	if err != nil {
		t.Fatal(err)
	}
	want := row{"0001-one", 1, delta{1, 2},
		"Say here why this cannot live outside upstream, and which spec section it serves."}
	if len(rows) != 1 || rows[0] != want {
		t.Errorf("rows %+v, want %+v", rows, want)
	}
	if d := files["core/a.go"]; len(files) != 1 || d.added != 1 || d.removed != 2 {
		t.Errorf("delta %+v", d)
	}
}

// A second run changes nothing, and edits that no patch holds are never thrown away unasked.
func TestUnsavedEditsSurvive(t *testing.T) {
	p, pristine := newProject(t, map[string]string{"a.go": lines(10, nil)})
	if err := p.materialise("", false); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(filepath.Join(p.tree(), "a.go"))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.materialise("", false); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(filepath.Join(p.tree(), "a.go")); err != nil || !os.SameFile(before, after) {
		t.Error("an up-to-date tree was made again")
	}
	write(t, filepath.Join(p.tree(), "a.go"), "precious\n")
	write(t, filepath.Join(p.root, "upstream/siblings/new.gwon.go"), "package x\n")
	p = reopen(t, p.root, pristine)
	if err := p.materialise("", false); err == nil || !strings.Contains(err.Error(), "edits") {
		t.Errorf("error %v, want one about edits", err)
	}
	if got := read(t, filepath.Join(p.tree(), "a.go")); got != "precious\n" {
		t.Error("the edit is gone")
	}
	if err := p.materialise("", true); err != nil {
		t.Fatal(err)
	}
	if got := read(t, filepath.Join(p.tree(), "a.go")); got == "precious\n" {
		t.Error("force kept the edit")
	}
}

const patchHead = "Why it stands here.\n\ndiff --git a/a.go b/a.go\n--- a/a.go\n+++ b/a.go\n"

// A patch finds its place again when upstream has moved it, and says what it found when it cannot.
func TestPatchOnMovedAndChangedUpstream(t *testing.T) {
	patch := patchHead + "@@ -2,3 +2,4 @@\n line b\n line c\n+added\n line d\n"
	moved := "new first\nnew second\n" + lines(10, nil)
	p, pristine := newProject(t, map[string]string{"a.go": moved})
	write(t, p.patchFile("0001-one"), patch)
	p = reopen(t, p.root, pristine)
	if err := p.materialise("", false); err != nil {
		t.Fatal(err)
	}
	if got := read(t, filepath.Join(p.tree(), "a.go")); !strings.Contains(got, "line c\nadded\nline d\n") {
		t.Errorf("moved upstream gives\n%s", got)
	}

	p, pristine = newProject(t, map[string]string{"a.go": lines(10, map[int]string{2: "something else\n"})})
	write(t, p.patchFile("0001-one"), patch)
	p = reopen(t, p.root, pristine)
	err := p.materialise("", false)
	for _, want := range []string{"0001-one", "a.go", "hunk 1", "line c", "something else"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not name %q", err, want)
		}
	}
	if _, err := os.Stat(p.tree()); !os.IsNotExist(err) {
		t.Error("a half-made tree was left behind")
	}
	if left, _ := filepath.Glob(filepath.Join(p.root, "build", ".go-ethereum-*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Inputs that would make a wrong tree are refused.
func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(t *testing.T, p *project)
		want    string
	}{
		"patch without a reason": {func(t *testing.T, p *project) {
			write(t, p.patchFile("0001-one"),
				strings.TrimPrefix(patchHead, "Why it stands here.\n\n")+"@@ -1,1 +1,1 @@\n-line a\n+x\n")
		}, "does not say"},
		"patch that adds a file": {func(t *testing.T, p *project) {
			write(t, p.patchFile("0001-one"),
				"Why.\n\ndiff --git a/n.go b/n.go\nnew file mode 100644\n--- /dev/null\n+++ b/n.go\n@@ -0,0 +1 @@\n+x\n")
		}, "siblings"},
		"patch for a file that is gone": {func(t *testing.T, p *project) {
			write(t, p.patchFile("0001-one"),
				strings.ReplaceAll(patchHead, "a.go", "gone.go")+"@@ -1,1 +1,1 @@\n-line a\n+x\n")
		}, "gone.go"},
		"sibling named like an upstream file": {func(t *testing.T, p *project) {
			write(t, filepath.Join(p.siblingDir(), "testdata/a.json"), "{}\n")
		}, "name of an upstream file"},
		"sibling without the suffix": {func(t *testing.T, p *project) {
			write(t, filepath.Join(p.siblingDir(), "new.go"), "package x\n")
		}, ".gwon.go"},
		"test of a sibling without the suffix": {func(t *testing.T, p *project) {
			write(t, filepath.Join(p.siblingDir(), "new_test.go"), "package x\n")
		}, ".gwon_test.go"},
	} {
		t.Run(name, func(t *testing.T) {
			p, pristine := newProject(t, map[string]string{"a.go": lines(10, nil), "testdata/a.json": "[]\n"})
			c.prepare(t, p)
			err := reopen(t, p.root, pristine).materialise("", false)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

// A version without a committed hash is refused before anything is fetched.
func TestUnknownVersion(t *testing.T) {
	p, _ := newProject(t, map[string]string{"a.go": "x\n"})
	write(t, filepath.Join(p.root, "go.mod"), "module x\n\ngo 1.26\n\nrequire "+modulePath+" v1.0.1\n")
	if _, err := openProject(p.root); err == nil || !strings.Contains(err.Error(), "v1.0.1") {
		t.Errorf("error %v, want one that names v1.0.1", err)
	}
}

// Numbers of patches run from 0001 without gaps and doubles.
func TestPatchNumbers(t *testing.T) {
	for name, c := range map[string]struct {
		patches []string
		want    string // in the error; empty for none
	}{
		"none":         {nil, ""},
		"in order":     {[]string{"0001-a", "0002-b"}, ""},
		"first gone":   {[]string{"0002-b"}, "0002-b"},
		"gap":          {[]string{"0001-a", "0003-c"}, "0003-c"},
		"double":       {[]string{"0001-a", "0001-b"}, "0001-b"},
		"short number": {[]string{"001-a"}, "001-a"},
	} {
		t.Run(name, func(t *testing.T) {
			err := checkNumbers(c.patches)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}
