// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import "syscall"

// niceness is what a thread that gives way adds to its own: the scheduler gives it a ninth of the time that one without gets (sched(7)).
const niceness = 10

// giveWay lowers the priority of the calling thread, and of no other. Every process may do that.
func giveWay() error { return syscall.Setpriority(syscall.PRIO_PROCESS, 0, niceness) }
