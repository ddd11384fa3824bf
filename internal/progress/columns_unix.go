// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build unix

package progress

import (
	"os"

	"golang.org/x/sys/unix"
)

// columns returns the width of a terminal, 80 where it does not say it.
func columns(out *os.File) int {
	size, err := unix.IoctlGetWinsize(int(out.Fd()), unix.TIOCGWINSZ)
	if err != nil || size.Col == 0 {
		return 80
	}
	return int(size.Col)
}
