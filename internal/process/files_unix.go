// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build unix

package process

import (
	"math"

	"golang.org/x/sys/unix"
)

// FreeFiles returns how many files can still be made on the disk of a directory. A file system that makes inodes as
// they are needed counts none, and has no limit.
func FreeFiles(dir string) (uint64, error) {
	var stat unix.Statfs_t
	if err := unix.Statfs(dir, &stat); err != nil {
		return 0, err
	}
	if stat.Files == 0 {
		return math.MaxUint64, nil
	}
	return uint64(stat.Ffree), nil //nolint:unconvert // it is signed on some systems
}

// device returns what tells the disk of a path, after symbolic links, from others.
func device(path string) (uint64, error) {
	var stat unix.Stat_t
	err := unix.Stat(path, &stat)
	return uint64(stat.Dev), err //nolint:unconvert,gosec // it is signed on some systems
}
