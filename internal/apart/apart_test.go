// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package apart

import (
	"os"
	"path/filepath"
	"testing"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// Places are apart unless one leads to the other or into it, whatever their names and whether they are there yet.
func TestCheck(t *testing.T) {
	root := t.TempDir()
	must.Do(t, os.MkdirAll(filepath.Join(root, "a", "b"), 0o700))
	must.Do(t, os.Symlink(filepath.Join(root, "a"), filepath.Join(root, "link")))
	for _, c := range []struct {
		a, b  string
		apart bool
	}{
		{"a", "a", false}, {"a", "a/b", false}, {"a", "link", false}, {"a", "link/new/deep", false},
		{"a", "a/../a/b", false}, {"new", "new/deep", false}, {"a", ".", false},
		{"a", "a.b", true}, {"a", "new", true}, {"a/b", "a/new", true}, {"link/b", "a/new", true}, {"new", "news", true},
	} {
		t.Run(c.a+" "+c.b, func(t *testing.T) {
			a, b := filepath.Join(root, c.a), filepath.Join(root, c.b)
			one, other := Check(a, b), Check(b, a)
			expect.That(t, (one == nil) == c.apart && (other == nil) == c.apart, "%v, and in the other order %v", one, other)
		})
	}
}
