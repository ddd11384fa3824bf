// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

//go:build !unix

package main

// ignoreTerminalStops does nothing: these systems do not stop a process that reads from the terminal.
func ignoreTerminalStops() {}
