// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package adopt

import (
	"os"

	"golang.org/x/sys/unix"
)

// clone makes a file share the blocks of another until one of them is written (Btrfs, XFS and others can do so).
func clone(to, from *os.File) error { return unix.IoctlFileClone(int(to.Fd()), int(from.Fd())) }
