// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build !unix

package process

// IgnoreTerminalStops does nothing. These systems do not stop a process that reads from the terminal.
func IgnoreTerminalStops() {}
