// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package health

import (
	"fmt"
	"net/http"
)

// Replaying returns the handlers of the probes, by pattern, of a node that executes stored blocks again and has not
// started yet. It is alive and not ready. progress returns the numbers of the newest executed and of the last block.
func Replaying(progress func() (current, last uint64)) map[string]http.Handler {
	return map[string]http.Handler{
		"GET " + LivePath: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			answer(w, http.StatusOK, "alive\n")
		}),
		"GET " + ReadyPath: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			current, last := progress()
			answer(w, http.StatusServiceUnavailable, fmt.Sprintf("not ready: replaying, %d of %d\n", current, last))
		}),
	}
}
