// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// MaxFile bounds a file that is read as a whole, in bytes: a genesis block, a list, a configuration, a block, a key.
// Programs read files that a person names by it: a wrong name, such as that of a disk, must not take all memory.
const MaxFile = 64 << 20

var errLarge = fmt.Errorf("more than %d bytes: name another file", MaxFile)

// Read returns the content of a file of at most MaxFile bytes.
func Read(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // read only
	content, err := ReadAll(file)
	if errors.Is(err, errLarge) { // any other error names the file
		err = fmt.Errorf("read %s: %w", path, err)
	}
	return content, err
}

// ReadAll returns what a reader has, at most MaxFile bytes.
func ReadAll(from io.Reader) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(from, MaxFile+1))
	if err == nil && len(content) > MaxFile {
		err = errLarge
	}
	return content, err
}
