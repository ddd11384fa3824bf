// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package atomicfile

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// Lines are appended to a file of the caller's alone. Every byte of another one stays.
func TestAppendLines(t *testing.T) {
	own := func(line []byte, whole bool) bool {
		return whole && bytes.HasPrefix(line, []byte("own ")) || string(line) == "ow"
	}
	long := strings.Repeat("x", maxFirstLine)
	for name, c := range map[string]struct {
		content string
		refused bool
	}{
		"empty": {"", false}, "own": {"own 1\n", false}, "own, and more": {"own 1\nanything", false}, "cut": {"ow", false},
		"key": {"0123", true}, "later": {"1\nown 1\n", true}, "line without end": {"own " + long, true},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			must.Do(t, os.WriteFile(path, []byte(c.content), 0o600))
			file, err := AppendLines(path, own)
			if c.refused {
				expect.Says(t, err, "nothing is appended to it", "a file of something else")
			} else {
				must.Do(t, err)
				must.Get(file.WriteString("own 2\n"))(t)
				must.Do(t, file.Close())
				if c.content += "own 2\n"; name == "cut" || name == "own, and more" {
					c.content = strings.Replace(c.content, "own 2", "\nown 2", 1)
				}
			}
			check(t, path, c.content, 0o600)
		})
	}
	path := filepath.Join(t.TempDir(), "new")
	must.Do(t, must.Get(AppendLines(path, own))(t).Close())
	check(t, path, "", 0o600)
	expect.Says(t, expect.Err(AppendLines(filepath.Dir(path), own)), "is a directory", "a directory")
	expect.Says(t, CheckLines(filepath.Join(path, "below"), own), "not a directory", "below a file")
}
