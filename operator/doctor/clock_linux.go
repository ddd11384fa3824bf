// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package doctor

import "syscall"

// timeError is the state TIME_ERROR of adjtimex(2): the clock is not synchronized.
const timeError = 5

// KernelClock reports whether the kernel holds the clock for synchronized (adjtimex(2)).
func KernelClock() (bool, error) {
	state, err := syscall.Adjtimex(new(syscall.Timex)) // without a mode it only reads
	if err != nil {
		return false, err
	}
	return state != timeError, nil
}
