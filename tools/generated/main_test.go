// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"path/filepath"
	"testing"

	"gwon/internal/expect"
)

// The results in the repository are those of its sources.
func TestRepositoryIsFresh(t *testing.T) {
	stale, err := compare(filepath.Join("..", ".."))
	expect.That(t, err == nil && len(stale) == 0, "%v %v", stale, err)
}
