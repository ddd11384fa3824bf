// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build unix

package process

import (
	"os/signal"
	"syscall"
)

// IgnoreTerminalStops makes a read from the terminal fail instead of stop this process while the process runs in the
// background.
func IgnoreTerminalStops() { signal.Ignore(syscall.SIGTTIN) }
