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
