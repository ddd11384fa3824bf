// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package triedb

import "github.com/ethereum/go-ethereum/triedb/pathdb"

// FlushSoon makes the path scheme write the state it holds in memory to disk, except that of the newest blocks, as soon
// as the next block is added. The hash scheme decides by itself when to write.
func (db *Database) FlushSoon() {
	if paths, ok := db.backend.(*pathdb.Database); ok {
		paths.FlushSoon()
	}
}
