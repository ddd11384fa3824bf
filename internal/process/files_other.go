// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build !unix

package process

import (
	"errors"
	"math"
)

// FreeFiles reports no limit where file systems have no inodes.
func FreeFiles(string) (uint64, error) { return math.MaxUint64, nil }

// device fails where the system does not tell disks apart.
func device(string) (uint64, error) { return 0, errors.ErrUnsupported }
