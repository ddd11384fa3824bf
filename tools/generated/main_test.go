// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gwon/internal/must"
)

// The results in the repository are those of its sources.
func TestRepositoryIsFresh(t *testing.T) {
	stale, err := compare(filepath.Join("..", ".."))
	if err != nil || len(stale) > 0 {
		t.Errorf("%v %v", stale, err)
	}
}

func TestNoticesChanges(t *testing.T) {
	root := t.TempDir()
	for _, g := range generators {
		for _, file := range g.files {
			path := filepath.Join(root, file)
			if filepath.Ext(file) == "" {
				path = filepath.Join(path, "deep", "file")
			}
			put(t, path, "first")
		}
	}
	put(t, filepath.Join(root, sumsFile), "")
	for _, g := range generators {
		must.Do(t, write(root, g.name))
	}
	if stale, err := compare(root); err != nil || len(stale) > 0 {
		t.Fatalf("just written: %v %v", stale, err)
	}
	for _, row := range []struct{ name, file, want string }{
		{"source", "dev/ui/src/deep/file", "make ui"},
		{"result", "contracts/bindings/bindings.go", "make bindings"},
		{"new file", "contracts/src/New.sol", "make contracts"},
		{"lock file", "dev/ui/package-lock.json", "make ui"},
	} {
		t.Run(row.name, func(t *testing.T) {
			path := filepath.Join(root, row.file)
			before, err := os.ReadFile(path)
			put(t, path, "second")
			if stale, err := compare(root); err != nil || len(stale) != 1 || !strings.HasSuffix(stale[0], row.want) {
				t.Errorf("got %q %v, want one line that ends in %q", stale, err, row.want)
			}
			if err != nil {
				must.Do(t, os.Remove(path))
				return
			}
			put(t, path, string(before))
		})
	}
	if err := write(root, "nothing"); err == nil {
		t.Error("an unknown generator was accepted")
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
}
