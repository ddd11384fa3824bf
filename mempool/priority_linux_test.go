// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"runtime"
	"syscall"
	"testing"
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
		if err := lowerPriority(); err != nil {
			t.Error(err)
		}
		after = nice()
		if err := lowerPriority(); err != nil {
			t.Error(err)
		}
		again = nice()
	})
	if after != min(before+niceness, maxNiceness) || again != min(after+niceness, maxNiceness) {
		t.Errorf("from niceness %d to %d and %d", before, after, again)
	}
}
