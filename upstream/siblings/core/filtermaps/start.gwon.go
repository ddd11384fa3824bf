// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package filtermaps

import "sync/atomic"

// besides tells that the index of this process was started by StartBeside, for a chain whose blocks are final.
var besides atomic.Bool

// StartBeside is Start for a caller that has more urgent things to do than to wait for the newest map of the index, which takes
// about a second to read, and whose chain does not take blocks back. Stop waits for it.
func (f *FilterMaps) StartBeside() {
	besides.Store(true)
	f.closeWg.Add(1)
	go func() {
		defer f.closeWg.Done()
		f.Start()
	}()
}

// snapshotDue reports whether the map as it stands is to be kept: at the head, where rendering goes on with the next block. A snapshot copies 65,536
// rows, and a run over some blocks needs none in between. Upstream keeps each block, since any of the last ones may turn out not to be canonical.
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

// forgetSnapshots lets go of the maps as they stood before the last indexed block, of which each takes 1.5 MiB: where no block is taken back
// only debug_setHead returns to them, after which the newest map is rendered again.
func (r *mapRenderer) forgetSnapshots() {
	for _, number := range r.f.renderSnapshots.Keys() {
		if number+1 < r.f.indexedRange.blocks.AfterLast() {
			r.f.renderSnapshots.Remove(number)
		}
	}
}
