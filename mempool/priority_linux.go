// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import "syscall"

const (
	// niceness is added to that of the process. At 10 a thread gets a ninth of the time of the others (sched(7)).
	niceness = 10

	// maxNiceness is the highest niceness of the system.
	maxNiceness = 19
)

// lowerPriority adds to the niceness of the calling thread alone. Every process is allowed to do so.
func lowerPriority() error {
	raw, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0)
	if err != nil {
		return err
	}
	current := 20 - raw // the system call returns 20 minus the niceness (getpriority(2))
	return syscall.Setpriority(syscall.PRIO_PROCESS, 0, min(current+niceness, maxNiceness))
}
