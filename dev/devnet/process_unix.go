// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build unix && !linux

package devnet

import (
	"os/exec"
	"syscall"
)

// detach puts the process into its own group, so that Ctrl-C reaches only this program, which ends the nodes in
// order. If this program dies, the process ends at its closed standard input.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// relaxTimers does nothing: only Linux has timer slack.
func relaxTimers() {}
