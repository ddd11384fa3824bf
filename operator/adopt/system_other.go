// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

//go:build !linux

package adopt

import (
	"errors"
	"os"
)

// clone is not to be had on this system.
func clone(*os.File, *os.File) error { return errors.ErrUnsupported }

// isRecordLocked cannot be asked for on this system; the lock of the instance directory is what protects.
func isRecordLocked(*os.File) (bool, error) { return false, nil }
