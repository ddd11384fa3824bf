// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"path/filepath"
	"testing"
)

// The results in the repository are those of its sources.
func TestRepositoryIsFresh(t *testing.T) {
	stale, err := compare(filepath.Join("..", ".."))
	if err != nil || len(stale) > 0 {
		t.Errorf("%v %v", stale, err)
	}
}
