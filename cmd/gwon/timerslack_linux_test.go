// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

//go:build cgo

package main

import (
	"syscall"
	"testing"
)

// Threads of the runtime, this one among them, have at least the slack of half a millisecond that timerslack_linux.go gives the first one.
func TestTimerSlack(t *testing.T) {
	const getTimerSlack = 30 // PR_GET_TIMERSLACK of prctl(2)
	slack, _, err := syscall.RawSyscall(syscall.SYS_PRCTL, getTimerSlack, 0, 0)
	if err != 0 {
		t.Fatal(err)
	}
	if slack < 500_000 {
		t.Errorf("a timer slack of %d ns", slack)
	}
}
