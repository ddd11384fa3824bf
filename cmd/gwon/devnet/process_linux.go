// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package devnet

import (
	"os/exec"
	"syscall"
)

// detach puts the process into a group of its own, so that Ctrl-C reaches us alone and we end it in order, and has the
// kernel end it should we die without doing so.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
