// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build !linux

package doctor

import "errors"

// KernelClock reports whether the kernel holds the clock for synchronized, which is known on Linux alone.
func KernelClock() (bool, error) { return false, errors.ErrUnsupported }
