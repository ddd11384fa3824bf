// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package filtermaps

import (
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/common"
)

// writeEvery is the time after which finished maps are written although their batch is not full.
const writeEvery = 5 * time.Second

// besides tells that the index of this process was started by StartBeside, for a chain whose blocks are final.
var besides atomic.Bool

// written is the time at which writeDue last reported true, in nanoseconds since 1970.
var written atomic.Int64

// writeDue reports whether finished maps are to be written now. A process that ends loses the maps in memory, and 32
// maps, upstream's batch, are minutes of work where blocks are idle. Maps with logs fill a batch before.
func writeDue() bool {
	now, last := time.Now().UnixNano(), written.Load()
	return besides.Load() && now-last >= int64(writeEvery) && written.CompareAndSwap(last, now)
}

// Indexed returns the range of blocks that the index has on disk; ok is false for an index that is switched off.
func (f *FilterMaps) Indexed() (blocks common.Range[uint64], ok bool) {
	select {
	case <-f.disabledCh:
		return blocks, false
	default:
	}
	f.indexLock.RLock()
	defer f.indexLock.RUnlock()
	return f.indexedRange.blocks, true
}

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
