// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package filtermaps

import "sync/atomic"

// besides tells that the index of this process was started by StartBeside, for a chain whose blocks are final.
var besides atomic.Bool

// StartBeside is Start in the background, for a chain that takes no blocks back. Reading the newest map of the index
// takes about a second, which a validator needs for more urgent work. Stop waits for it.
func (f *FilterMaps) StartBeside() {
	besides.Store(true)
	f.closeWg.Add(1)
	go func() {
		defer f.closeWg.Done()
		f.Start()
	}()
}

// snapshotDue reports whether the present map is kept: only at the head, where rendering continues with the next block.
// A snapshot copies 65,536 rows, and a run over several blocks needs none in between. Upstream keeps one for each block
// because the last blocks of its chains may be replaced.
func (r *mapRenderer) snapshotDue() bool {
	if !besides.Load() {
		return r.iterator.delimiter || r.iterator.finished
	}
	if !r.iterator.finished {
		return false
	}
	r.forgetSnapshots()
	return true
}

// forgetSnapshots drops the snapshots before the last indexed block, of 1.5 MiB each. On a chain that takes no block
// back only debug_setHead returns to them, and renders the newest map again.
func (r *mapRenderer) forgetSnapshots() {
	for _, number := range r.f.renderSnapshots.Keys() {
		if number+1 < r.f.indexedRange.blocks.AfterLast() {
			r.f.renderSnapshots.Remove(number)
		}
	}
}
