// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build !unix

package devnet

import "os"

// interrupt does nothing without signals: a closed standard input ends the process.
func interrupt(*os.Process) {}
