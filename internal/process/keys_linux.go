// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package process

import "golang.org/x/sys/unix"

// SingleKeys makes the terminal fd hand over each key at once and without an echo, until restore is called. Ctrl-C
// keeps its meaning. A process in the background changes nothing: the terminal belongs to another one.
func SingleKeys(fd int) (restore func()) {
	before, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil || !inForeground(fd) {
		return func() {}
	}
	keys := *before
	keys.Lflag &^= unix.ICANON | unix.ECHO
	keys.Cc[unix.VMIN], keys.Cc[unix.VTIME] = 1, 0
	if err := unix.IoctlSetTermios(fd, unix.TCSETS, &keys); err != nil {
		return func() {}
	}
	return func() {
		if inForeground(fd) {
			_ = unix.IoctlSetTermios(fd, unix.TCSETS, before) // the terminal is gone if that fails
		}
	}
}

// inForeground reports whether the terminal fd belongs to the process group of this process.
func inForeground(fd int) bool {
	group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}
