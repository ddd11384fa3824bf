// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import "syscall"

const (
	// niceness is what a thread that gives way adds to that of the others: it gets a ninth of the time that they get (sched(7)).
	niceness = 10

	// mostNice is the highest there is.
	mostNice = 19
)

// giveWay lowers the priority of the calling thread, and of no other. Every process may do that.
func giveWay() error {
	raw, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0)
	if err != nil {
		return err
	}
	own := 20 - raw // the system call tells it so, to have no negative results (getpriority(2))
	return syscall.Setpriority(syscall.PRIO_PROCESS, 0, min(own+niceness, mostNice))
}
