// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package secretfile reads files with keys and passwords, which only their owner may read. All programs read theirs by
// it, so that one rule holds for each.
package secretfile

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// MaxFile bounds a file with keys or passwords in bytes: those of all accounts of a node may be in one.
const MaxFile = 64 << 10

// Read returns the content of a file of at most MaxFile bytes. It refuses a file that others than its owner can read. A
// pipe is read as well, as a shell gives it for the output of a command. A missing file is fs.ErrNotExist.
func Read(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // read only
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, err
	case info.Mode().Type()&^fs.ModeNamedPipe != 0:
		return nil, fmt.Errorf("%s is no file: name a file", path)
	case info.Mode().Perm()&0o077 != 0 && !isCredential(path):
		return nil, fmt.Errorf("%s can be read by others (mode %04o): run chmod 600 on it", path, info.Mode().Perm())
	}
	content, err := io.ReadAll(io.LimitReader(file, MaxFile+1))
	if err == nil && len(content) > MaxFile {
		err = fmt.Errorf("%s has more than %d bytes: it is another file", path, MaxFile)
	}
	return content, err
}

// isCredential reports whether systemd has handed a file to this service (LoadCredential). The directory is the
// service's own, and the mode of its files shows the access list by which the service reads them.
func isCredential(path string) bool {
	directory := os.Getenv("CREDENTIALS_DIRECTORY")
	return directory != "" && filepath.Dir(path) == filepath.Clean(directory)
}
