// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package expect

import (
	"log/slog"
	"testing"

	"github.com/ethereum/go-ethereum/log"
)

// Log has a handler take the log until the test ends.
func Log(t testing.TB, to slog.Handler) {
	before := log.Root()
	log.SetDefault(log.NewLogger(to))
	t.Cleanup(func() { log.SetDefault(before) })
}
