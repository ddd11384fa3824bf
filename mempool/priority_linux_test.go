// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"runtime"
	"syscall"
	"testing"

	"gwon/internal/expect"
)

// TestLowersPriorityOfThread lowers the priority of one thread relative to its process, down to the lowest.
func TestLowersPriorityOfThread(t *testing.T) {
	nice := func() int {
		raw, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0)
		if err != nil {
			t.Error(err)
		}
		return 20 - raw
	}
	onThread := func(f func()) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			runtime.LockOSThread() // never unlocked, so that the thread ends
			f()
		}()
		<-done
	}
	var before, after, again int
	onThread(func() {
		before = nice()
		expect.Error(t, lowerPriority(), nil, "lowerPriority")
		after = nice()
		expect.Error(t, lowerPriority(), nil, "lowerPriority")
		again = nice()
	})
	expect.That(t, after == min(before+niceness, maxNiceness) && again == min(after+niceness, maxNiceness),
		"from niceness %d to %d and %d", before, after, again)
}
