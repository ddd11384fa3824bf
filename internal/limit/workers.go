// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package limit

import (
	"runtime"
	"time"
)

const (
	maxWaitingCalls = 4096 // long calls that wait, of all clients

	// littleUse is the most that a client has used for which the last free worker is kept.
	littleUse = 100 * time.Millisecond
)

// Workers returns the queue for long calls of RPC clients: all processors but one work on them, and half of these for
// one client at most. One more worker is for clients that have used little. It implements rpc.Workers.
func Workers() *Queue[string] { return newWorkers(max(1, runtime.GOMAXPROCS(0)-1)) }

func newWorkers(n int) *Queue[string] {
	return NewQueue[string](Bounds{
		Places: n, PerOwner: max(1, n/2), Waiting: maxWaitingCalls, Little: littleUse,
	})
}
