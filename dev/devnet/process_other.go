// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build !unix

package devnet

import "os/exec"

// detach does nothing: a closed standard input ends the process.
func detach(*exec.Cmd) {}

// relaxTimers does nothing: only Linux has timer slack.
func relaxTimers() {}
