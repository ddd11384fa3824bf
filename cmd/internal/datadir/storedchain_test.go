// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package datadir

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/node"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// A key-value store that the operating system does not open keeps the files of its options, and is opened once.
func TestOptionsStayWithoutDamage(t *testing.T) {
	for _, failed := range []error{syscall.EROFS, syscall.EACCES, node.ErrDatadirUsed} {
		dir := t.TempDir()
		options := filepath.Join(dir, "OPTIONS-000021")
		must.Do(t, os.WriteFile(options, nil, 0o600))
		_, err := openWithoutOptions(dir, func() (ethdb.KeyValueStore, error) {
			t.Errorf("%v: opened again", failed)
			return nil, failed
		}, failed)
		_, statErr := os.Stat(options)
		expect.That(t, errors.Is(err, failed) && statErr == nil, "error %v, want %v; %v", err, failed, statErr)
	}
}
