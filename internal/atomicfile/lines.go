// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// maxFirstLine bounds the first line of a file of lines, in bytes.
const maxFirstLine = 64 << 10

// AppendLines opens a file for further lines: one that CheckLines takes. A line that a crash has cut off is ended.
func AppendLines(path string, own func(line []byte, whole bool) bool) (*os.File, error) {
	if err := CheckLines(path, own); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := endLine(file); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// CheckLines is the rule of programs that append lines to a file which the user names: it is new, or empty, or its
// first line is one of theirs. Lines in a key or a backup, whose name was given by mistake, would spoil it. The first
// line is not whole where it has no end.
func CheckLines(path string, own func(line []byte, whole bool) bool) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || info.Mode().IsRegular() && info.Size() == 0 || info.Mode()&(fs.ModeNamedPipe|fs.ModeCharDevice) != 0 {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // read only
	head, err := io.ReadAll(io.LimitReader(file, maxFirstLine))
	if err != nil {
		return err
	}
	line, _, whole := bytes.Cut(head, []byte{'\n'})
	if len(line) == maxFirstLine || !own(line, whole) {
		return fmt.Errorf("%s holds something else, and nothing is appended to it: name a new file, or move it away", path)
	}
	return nil
}

// endLine ends the last line.
func endLine(file *os.File) error {
	info, err := file.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	last := make([]byte, 1)
	if _, err := file.ReadAt(last, info.Size()-1); err != nil || last[0] == '\n' {
		return err
	}
	_, err = file.Write([]byte{'\n'})
	return err
}
