// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build unix && !linux

package devnet

import (
	"os/exec"
	"syscall"
)

// detach puts the process into a group of its own, so that Ctrl-C reaches us alone and we end it in order. Should we
// die without doing so, it notices that its standard input is closed.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// relaxTimers does nothing: only Linux has timer slack.
func relaxTimers() {}
