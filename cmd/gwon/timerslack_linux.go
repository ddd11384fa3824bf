// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

//go:build cgo

package main

// While anything runs, the monitor thread of Go's runtime sleeps for 20 us at a time. Linux adds its timer slack, 50 us by default, and so each node
// woke up 14,000 times a second, which was a tenth of its CPU at 450 transfers a second. With half a millisecond of slack it was still 6 of 100
// of that, and 9 of 100 of an idle node's. Nothing waits for this thread but processors that others hold in system calls, which are taken back
// when it looks: it has two milliseconds. All other threads have half a millisecond, where nothing in the node depends on less than several.
//
// A thread has the slack of the one that starts it, and the monitor is the first that the runtime starts, before any Go code of the program. What
// runs before the runtime sets the monitor's slack, and once that is started the main thread takes the one of all others. So do the threads that the
// monitor starts later.

/*
#cgo LDFLAGS: -Wl,--wrap=pthread_create

#include <pthread.h>
#include <sys/prctl.h>

// In nanoseconds.
#define MONITOR_SLACK 2000000
#define SLACK 500000

static int inherited, raised;

static void __attribute__((constructor)) relax(void) {
	inherited = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
	if (inherited < MONITOR_SLACK) // who has started the program may want more
		raised = prctl(PR_SET_TIMERSLACK, MONITOR_SLACK, 0, 0, 0) == 0;
}

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg) {
	int slack = inherited < SLACK ? SLACK : inherited, first = raised;
	int monitor = !first && inherited < MONITOR_SLACK && prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0) == MONITOR_SLACK;
	if (monitor) // it starts a thread for others
		prctl(PR_SET_TIMERSLACK, slack, 0, 0, 0);
	int failed = __real_pthread_create(thread, attr, run, arg);
	if (monitor) {
		prctl(PR_SET_TIMERSLACK, MONITOR_SLACK, 0, 0, 0);
	} else if (first && !failed) { // called by the only thread there is
		raised = 0;
		prctl(PR_SET_TIMERSLACK, slack, 0, 0, 0);
	}
	return failed;
}
*/
import "C"
