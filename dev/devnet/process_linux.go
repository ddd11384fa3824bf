// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devnet

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// relaxTimers sets the timer slack of the calling thread, which new processes inherit, to the 2 ms of the systemd unit
// in docs/operate/follower.md. With the kernel's 50 us the runtime's monitor thread takes 10 % of a loaded node's CPU
// (docs/adr/0021-timer-slack.md). Kernels without timer slack ignore it.
func relaxTimers() { _ = unix.Prctl(unix.PR_SET_TIMERSLACK, 2_000_000, 0, 0, 0) }

// detach puts the process into its own group, so that Ctrl-C reaches only this program, which ends the nodes in
// order. The kernel ends the process if this program dies.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
