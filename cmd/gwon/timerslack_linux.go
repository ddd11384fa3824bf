// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

//go:build cgo

package main

// While anything runs, the monitor thread of Go's runtime sleeps for 20 us at a time. Linux adds its timer slack, 50 us by default, and so each node
// woke up 14,000 times a second, which was a tenth of its CPU at 450 transfers a second. Threads inherit the slack of the one
// that starts them, and the runtime starts its monitor before any Go code of the program: it takes what runs before the runtime. Other
// timers may come half a millisecond late as well, where nothing in the node depends on less than several.

/*
#include <sys/prctl.h>

#define SLACK 500000 // nanoseconds

static void __attribute__((constructor)) relax(void) {
	if (prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0) < SLACK) // who has started the program may want more
		prctl(PR_SET_TIMERSLACK, SLACK, 0, 0, 0);
}
*/
import "C"
