// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package pebble

import "github.com/ethereum/go-ethereum/ethdb"

// Open opens a database in the format in which it is stored, which stays.
func Open(file string, cache, handles int, readonly bool) (ethdb.KeyValueStore, error) {
	if NeedsV1(file) {
		return NewV1(file, cache, handles, "", readonly)
	}
	return New(file, cache, handles, "", readonly)
}
