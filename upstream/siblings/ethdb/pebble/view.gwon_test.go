// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package pebble

import (
	"errors"
	"testing"

	"github.com/cockroachdb/pebble/v2"

	"github.com/ethereum/go-ethereum/internal/must"
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
	if err := db.View([]byte("key"), view); !errors.Is(err, fails) || seen != "value" {
		t.Errorf("seen %q, error %v", seen, err)
	}
	if err := db.View([]byte("other"), view); !errors.Is(err, pebble.ErrNotFound) || seen != "value" {
		t.Errorf("a missing key: seen %q, error %v", seen, err)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the view did not panic")
			}
		}()
		_ = db.View([]byte("key"), func([]byte) error { panic("damaged") })
	}()
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	if err := db.View([]byte("key"), view); !errors.Is(err, pebble.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}
