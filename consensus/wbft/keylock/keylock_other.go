// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build !linux

package keylock

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/ethereum/go-ethereum/common"
	"github.com/gofrs/flock"
)

// Acquire takes the lock of a validator on the chain with a genesis block, until it is closed or the process ends. The
// error wraps ErrInUse if another process, or another part of this one, has the lock.
func Acquire(validator common.Address, genesis common.Hash) (io.Closer, error) {
	path := filepath.Join(os.TempDir(), name(validator, genesis)+".lock")
	lock := flock.New(path)
	ok, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock of validator %v: %w", validator, err)
	}
	if !ok {
		return nil, inUse(validator, ", see "+path)
	}
	return lock, nil
}
