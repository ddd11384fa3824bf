// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package process

import (
	"os"
	"os/exec"
	"path/filepath"

	"gwon/internal/apart"
	"gwon/internal/shellword"
)

// MaxSocketPath is the number of bytes that the path of a socket may have on every system.
const MaxSocketPath = 103

// Command returns how a shell starts this program in any directory. name is the program's usual name.
func Command(name string) string {
	path, err := os.Executable()
	if err != nil {
		return name
	}
	return CommandAt(name, path)
}

// CommandBeside returns how a shell starts another program in any directory: the one beside this program, if it is
// there, else that of the search path.
func CommandBeside(name string) string {
	own, err := os.Executable()
	if err != nil {
		return name
	}
	if path, err := exec.LookPath(filepath.Join(filepath.Dir(own), name)); err == nil {
		return CommandAt(name, path)
	}
	return name
}

// CommandAt returns how a shell starts a program: its name where the search path leads to it, else its path.
func CommandAt(name, path string) string {
	if found, err := exec.LookPath(name); err == nil && filepath.IsAbs(found) && apart.SameFile(found, path) {
		return name
	}
	return shellword.Quote(path)
}
