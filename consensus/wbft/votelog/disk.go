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

// Disk is what the log uses of a file system.
type Disk interface {
	// MakeDirectory makes a directory, with its parents, unless it is there.
	MakeDirectory(path string) error
	// Lock takes the file at path, which it makes, for this process until release is called. The error wraps ErrInUse when
	// another one has it.
	Lock(path string) (release func() error, err error)
	// Read returns the content of a file; the error wraps os.ErrNotExist when there is none.
	Read(path string) ([]byte, error)
	// Create returns an empty file, whatever was there.
	Create(path string) (File, error)
	// Open opens a file for writing.
	Open(path string) (File, error)
	// Rename gives a synced file the place of another one, durably.
	Rename(from, to string) error
	Remove(path string) error
}

// File is an open file. What was written is durable when a later Sync has returned without error.
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
func (OS) Read(path string) ([]byte, error) { return os.ReadFile(path) }

// Create implements Disk. The file is readable by its owner only.
func (OS) Create(path string) (File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
}

// Open implements Disk.
func (OS) Open(path string) (File, error) { return os.OpenFile(path, os.O_RDWR, 0) }

// Rename implements Disk.
func (OS) Rename(from, to string) error { return atomicfile.Rename(from, to) }

// Remove implements Disk.
func (OS) Remove(path string) error { return os.Remove(path) }
