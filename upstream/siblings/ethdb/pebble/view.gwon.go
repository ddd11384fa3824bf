// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package pebble

import (
	"errors"

	"github.com/cockroachdb/pebble/v2"
)

// View calls view with the value of a key where the database has it, without the copy that Get makes. The value is
// valid until view returns, and must not be modified. An error of view is returned.
func (d *Database) View(key []byte, view func(value []byte) error) (err error) {
	d.quitLock.RLock()
	defer d.quitLock.RUnlock()
	if d.closed {
		return pebble.ErrClosed
	}
	value, closer, err := d.db.Get(key)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closer.Close()) }() // also if view panics
	return view(value)
}
