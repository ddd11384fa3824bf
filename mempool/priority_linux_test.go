// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package mempool

import (
	"runtime"
	"syscall"
	"testing"
)

// A thread gives way to the others of its process whatever the niceness of those is, as far as there is room for it.
func TestGiveWay(t *testing.T) {
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
			runtime.LockOSThread() // and not unlocked: the thread ends
			f()
		}()
		<-done
	}
	var before, after, again int
	onThread(func() {
		before = nice()
		if err := giveWay(); err != nil {
			t.Error(err)
		}
		after = nice()
		if err := giveWay(); err != nil {
			t.Error(err)
		}
		again = nice()
	})
	if after != min(before+niceness, mostNice) || again != min(after+niceness, mostNice) {
		t.Errorf("from niceness %d to %d and %d", before, after, again)
	}
}
