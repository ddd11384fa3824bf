// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

//go:build cgo

package main

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// One thread, the monitor of Go's runtime, has a slack of two milliseconds, and all others half of one, unless who started the process wants
// more (timerslack_linux.go). What other threads have is shown to those with CAP_SYS_NICE.
func TestTimerSlack(t *testing.T) {
	const getTimerSlack = 30 // PR_GET_TIMERSLACK of prctl(2)
	own, _, failed := syscall.RawSyscall(syscall.SYS_PRCTL, getTimerSlack, 0, 0)
	if failed != 0 {
		t.Fatal(failed)
	}
	if own < 500_000 {
		t.Errorf("a thread of the program has a slack of %d ns", own)
	}
	if own >= 2_000_000 {
		t.Skip("the process was started with the monitor's slack for all")
	}
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	var monitors, others int
	for _, thread := range threads {
		text, err := os.ReadFile("/proc/" + thread.Name() + "/timerslack_ns")
		switch {
		case errors.Is(err, fs.ErrPermission):
			t.Skip("the slack of other threads is not shown to this user")
		case err != nil:
			continue // it has ended meanwhile
		}
		switch slack, err := strconv.Atoi(strings.TrimSpace(string(text))); {
		case err != nil:
			t.Fatal(err)
		case slack == 2_000_000:
			monitors++
		case slack == int(own):
			others++
		default:
			t.Errorf("thread %s has a slack of %d ns", thread.Name(), slack)
		}
	}
	if monitors != 1 || others == 0 {
		t.Errorf("%d threads with the monitor's slack, %d with that of the others", monitors, others)
	}
}
