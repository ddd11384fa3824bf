// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package process

import "runtime/debug"

// GCPercent is the default of --gogc: the growth of the heap between two collections, in percent of what is alive.
const GCPercent = 100

// LimitMemory sets the soft limit of Go's runtime for a process that may use total bytes, with database caches of so
// many bytes outside the heap, and returns the limit in bytes.
func LimitMemory(total, caches uint64) uint64 {
	limit := softLimit(total, caches)
	debug.SetMemoryLimit(int64(limit))
	return limit
}

// softLimit returns the soft limit of Go's heap in bytes. A tenth of total is for what the runtime does not count.
// Database caches stand outside the heap.
func softLimit(total, caches uint64) uint64 {
	limit := total - total/10
	return max(limit-min(caches, limit), total/2)
}
