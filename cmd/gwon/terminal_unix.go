// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

//go:build unix

package main

import (
	"os/signal"
	"syscall"
)

// ignoreTerminalStops makes reading from the terminal fail instead of stop this process while it runs in the background.
func ignoreTerminalStops() { signal.Ignore(syscall.SIGTTIN) }
