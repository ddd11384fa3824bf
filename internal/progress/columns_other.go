// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build !unix

package progress

import "os"

// columns returns a width that every terminal has.
func columns(*os.File) int { return 80 }
