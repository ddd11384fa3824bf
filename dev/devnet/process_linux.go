// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devnet

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// timerSlack is the timer slack of nodes in nanoseconds, as in the systemd unit of docs/operate/follower.md. With the
// kernel's 50 us the runtime's monitor thread takes 10 % of a loaded node's CPU (docs/adr/0021-timer-slack.md).
const timerSlack = 2_000_000

// relaxTimers sets the timer slack of the calling thread, which new processes inherit. Kernels without timer slack
// ignore it.
func relaxTimers() { _ = unix.Prctl(unix.PR_SET_TIMERSLACK, timerSlack, 0, 0, 0) }

// detach puts the process into its own group, so that Ctrl-C reaches only this program, which ends the nodes in
// order. The kernel ends the process if this program dies.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
