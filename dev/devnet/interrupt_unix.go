// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build unix

package devnet

import (
	"os"
	"syscall"
)

// interrupt asks a process to end. An error means that it has ended already.
func interrupt(p *os.Process) { _ = p.Signal(syscall.SIGTERM) }
