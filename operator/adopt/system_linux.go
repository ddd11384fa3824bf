// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package adopt

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// clone makes a file share the blocks of another until one of them is written (Btrfs, XFS and others can do so).
func clone(to, from *os.File) error { return unix.IoctlFileClone(int(to.Fd()), int(from.Fd())) }

// isRecordLocked reports whether another process has a lock of fcntl(2) on a file, as pebble takes one.
func isRecordLocked(file *os.File) (bool, error) {
	lock := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart}
	err := unix.FcntlFlock(file.Fd(), unix.F_GETLK, &lock)
	return lock.Type != unix.F_UNLCK, err
}
