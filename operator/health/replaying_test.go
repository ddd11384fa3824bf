// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package health

import (
	"net/http/httptest"
	"testing"

	"gwon/internal/expect"
)

// A node that executes stored blocks again is alive, so that a probe does not kill it, and not ready.
func TestReplayingProbes(t *testing.T) {
	handlers := Replaying(func() (uint64, uint64) { return 20, 40 })
	for _, row := range []struct {
		path, text string
		status     int
	}{{LivePath, "alive\n", 200}, {ReadyPath, "not ready: replaying, 20 of 40\n", 503}} {
		t.Run(row.path, func(t *testing.T) {
			w := httptest.NewRecorder()
			handlers["GET "+row.path].ServeHTTP(w, httptest.NewRequest("GET", row.path, nil))
			expect.That(t, w.Code == row.status && w.Body.String() == row.text, "status %d: %q", w.Code, w.Body)
		})
	}
}
