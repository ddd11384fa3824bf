// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package process

import (
	"os"
	"path/filepath"
	"testing"

	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/shellword"
)

// A printed command works in any directory.
func TestCommand(t *testing.T) {
	const name = "gwon"
	own := must.Get(os.Executable())(t)
	t.Setenv("PATH", "")
	got := Command(name)
	expect.That(t, got == shellword.Quote(own) && filepath.IsAbs(own), "command %s, want %s", got, own)
	path := t.TempDir()
	if err := os.Symlink(own, filepath.Join(path, name)); err != nil {
		t.Skip(err)
	}
	t.Setenv("PATH", path)
	expect.Equal(t, Command(name), name, "command that is in PATH")
	other := filepath.Base(own) // beside this program, and not in PATH
	expect.Equal(t, CommandBeside(other), shellword.Quote(own), "program beside this one")
	expect.Equal(t, CommandBeside("missing"), "missing", "missing program")
}
