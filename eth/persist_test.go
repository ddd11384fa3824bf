// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package eth

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// The state is written to disk twelve times an hour until the node stops.
func TestPersist(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour+time.Second)
		defer cancel()
		flushes := 0
		persist(ctx, func() { flushes++ })
		if flushes != 12 {
			t.Errorf("%d flushes in an hour, want 12", flushes)
		}
	})
}
