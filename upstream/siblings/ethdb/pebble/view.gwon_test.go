// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package pebble

import (
	"errors"
	"testing"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ethereum/go-ethereum/internal/must"
	"github.com/stretchr/testify/assert"
)

// A view sees the value, its error is returned, and it is not called for a key that is not there. A view that panics
// holds neither the value nor the lock: closing would fail or wait.
func TestView(t *testing.T) {
	db := must.Get(New(t.TempDir(), 16, 16, "", false))(t)
	must.Do(t, db.Put([]byte("key"), []byte("value")))
	must.Do(t, db.Compact(nil, nil))
	fails := errors.New("the view fails")
	var seen string
	view := func(value []byte) error {
		seen += string(value)
		return fails
	}
	err := db.View([]byte("key"), view)
	assert.Truef(t, errors.Is(err, fails) && seen == "value", "seen %q, error %v", seen, err)
	err = db.View([]byte("other"), view)
	assert.Truef(t, errors.Is(err, pebble.ErrNotFound) && seen == "value", "a missing key: seen %q, error %v", seen, err)
	func() {
		defer func() { assert.True(t, recover() != nil, "the view did not panic") }()
		_ = db.View([]byte("key"), func([]byte) error { panic("damaged") })
	}()
	assert.NoError(t, db.Close())
	assert.ErrorIs(t, db.View([]byte("key"), view), pebble.ErrClosed, "closed")
}
