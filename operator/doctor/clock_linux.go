// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package doctor

import "golang.org/x/sys/unix"

// KernelClock reports whether the kernel holds the clock for synchronized (adjtimex(2)).
func KernelClock() (bool, error) {
	state, err := unix.Adjtimex(new(unix.Timex)) // without a mode it only reads
	if err != nil {
		return false, err
	}
	return state != unix.TIME_ERROR, nil
}
