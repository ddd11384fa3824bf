// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package devnet

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// timerSlack is that of nodes in nanoseconds, as in the systemd unit of docs/operate/follower.md. With the kernel's 50 us the
// runtime's monitor thread takes a tenth of a loaded node's CPU (docs/adr/0021-timer-slack.md).
const timerSlack = 500_000

// relaxTimers sets the timer slack of the calling thread, which the processes that it starts inherit. A kernel without
// timer slack starts them with its own.
func relaxTimers() { _ = unix.Prctl(unix.PR_SET_TIMERSLACK, timerSlack, 0, 0, 0) }

// detach puts the process into a group of its own, so that Ctrl-C reaches us alone and we end it in order, and has the
// kernel end it should we die without doing so.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
