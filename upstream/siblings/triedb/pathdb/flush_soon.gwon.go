// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package pathdb

// FlushSoon makes the next state that is merged into the write buffer take the buffer to disk, in the background.
// Otherwise the buffer is written when it is full, which on a quiet chain takes days, and all blocks since then have to
// be executed again after a crash.
func (db *Database) FlushSoon() {
	// A disk layer is stale once a state was merged, and its buffer belongs to the next one. During a snap sync there is
	// no other layer, and nothing to write.
	for range 2 {
		if db.tree.bottom().flushSoon() {
			return
		}
	}
}

// flushSoon makes any content too much for the layer's buffer. It reports false when the layer is stale.
func (dl *diskLayer) flushSoon() bool {
	dl.lock.Lock()
	defer dl.lock.Unlock()
	if dl.stale {
		return false
	}
	dl.buffer.limit = 0
	return true
}
