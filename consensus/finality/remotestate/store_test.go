// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package remotestate

import (
	"os"
	"path/filepath"
	"testing"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// What does not fit into the bound of a store is refused, before a byte of it is in memory or on disk.
func TestStoreIsBounded(t *testing.T) {
	file := must.Get(os.Create(filepath.Join(t.TempDir(), storeName)))(t)
	defer func() { _ = file.Close() }() // nothing is written
	s := &store{name: storeName, file: file, held: make(map[key]any)}
	s.size = MaxStore - 1
	expect.Error(t, add(s, kindCode, []byte{1, 2}), ErrFull, "error")
	if info, err := file.Stat(); err != nil || info.Size() > 0 || len(s.held) > 0 || s.size >= MaxStore {
		t.Errorf("%d bytes are held and %v written, error %v", s.size, info.Size(), err)
	}
}
