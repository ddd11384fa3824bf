// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package votelog

import (
	"fmt"
	"io"
	"os"

	"github.com/gofrs/flock"

	"gwon/internal/atomicfile"
)

// Disk is the part of a file system that the log uses.
type Disk interface {
	// MakeDirectory makes a directory and its parents. An existing directory is no error.
	MakeDirectory(path string) error
	// Lock locks the file at path, which it creates, for this process until release is called. The error wraps ErrInUse
	// when another process has the lock.
	Lock(path string) (release func() error, err error)
	// Read returns the content of a regular file; the error wraps os.ErrNotExist when there is none. What is at the path
	// and is no such file is another error: a link to nothing is no reason for a new log, and a log is replaced by rename,
	// which would leave that behind a link as it was.
	Read(path string) ([]byte, error)
	// Create returns an empty file. An existing file is truncated.
	Create(path string) (File, error)
	// Open opens a file for writing.
	Open(path string) (File, error)
	// Rename replaces a file by a synced one, durably.
	Rename(from, to string) error
	// Remove removes a file.
	Remove(path string) error
}

// File is an open file. Written bytes are durable once a later Sync has returned without error.
type File interface {
	io.WriterAt
	io.Closer
	Sync() error
	Truncate(size int64) error
}

// OS is the operating system's file system.
type OS struct{}

// MakeDirectory implements Disk.
func (OS) MakeDirectory(path string) error { return os.MkdirAll(path, 0o700) }

// Lock implements Disk.
func (OS) Lock(path string) (release func() error, err error) {
	held := flock.New(path)
	ok, err := held.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	if !ok {
		return nil, ErrInUse
	}
	return held.Unlock, nil
}

// Read implements Disk.
func (OS) Read(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is a %v and no regular file: put the file itself there, or name its directory", path,
			info.Mode().Type())
	}
	return os.ReadFile(path)
}

// Create implements Disk. The file is readable by its owner only.
func (OS) Create(path string) (File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
}

// Open implements Disk.
func (OS) Open(path string) (File, error) { return os.OpenFile(path, os.O_RDWR, 0) }

// Rename implements Disk.
func (OS) Rename(from, to string) error { return atomicfile.Replace(from, to) }

// Remove implements Disk.
func (OS) Remove(path string) error { return os.Remove(path) }
