// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package process

import (
	"os"
	"path/filepath"
	"testing"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// A printed command works in any directory.
func TestCommand(t *testing.T) {
	const name = "gwon"
	own := must.Get(os.Executable())(t)
	t.Setenv("PATH", "")
	if got := Command(name); got != ShellWord(own) || !filepath.IsAbs(own) {
		t.Errorf("command %s, want %s", got, own)
	}
	path := t.TempDir()
	if err := os.Symlink(own, filepath.Join(path, name)); err != nil {
		t.Skip(err)
	}
	t.Setenv("PATH", path)
	if got := Command(name); got != name {
		t.Errorf("command %s, want %s, which is in PATH", got, name)
	}
	other := filepath.Base(own) // beside this program, and not in PATH
	if got := CommandBeside(other); got != ShellWord(own) {
		t.Errorf("program beside this one: %s, want %s", got, own)
	}
	expect.Equal(t, CommandBeside("missing"), "missing", "missing program")
}

// A word that a shell would split or expand is quoted.
func TestShellWord(t *testing.T) {
	for word, want := range map[string]string{
		"/a/b": "/a/b", "/a b": "'/a b'", "/it's": `'/it'\''s'`, "/$a": "'/$a'", "": "",
	} {
		t.Run(word, func(t *testing.T) { expect.Equal(t, ShellWord(word), want, "shell word") })
	}
}
