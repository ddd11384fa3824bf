// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"gwon/operator/status"
)

// gwon status shows a healthy network without warnings. It names a validator that is gone, with exit status 2, and ends
// with 1 and a remedy where no node is.
func TestStatusCommand(t *testing.T) {
	t.Parallel()
	c := startCluster(t, 4)
	c.awaitHead(t, 3, c.running()...)
	var report status.Report
	show := func() (code int, seen string) {
		out, stderr, err := gwon(t, t.TempDir(), "status", "--rpc", c.node(0).HTTP(), "--json")
		if exit, ok := err.(*exec.ExitError); ok { //nolint:errorlint // as exec returns it
			code = exit.ExitCode()
		}
		report = status.Report{}
		if err := json.Unmarshal([]byte(out), &report); err != nil {
			t.Fatalf("%v in %q, %s", err, out, stderr)
		}
		return code, fmt.Sprint(code, out)
	}
	c.await(t, "status without warnings", func() (bool, string) {
		code, seen := show()
		return code == 0 && len(report.Warnings) == 0 && report.Head.Number > 2 && report.Peers.Total == 3, seen
	})
	gone := c.node(3).Address
	c.kill(t, 3)
	c.await(t, "warning about a validator that is gone", func() (bool, string) {
		code, seen := show()
		named := strings.Contains(strings.Join(report.Warnings, " "), gone.Hex()+" has not sealed")
		return code == 2 && named && report.Seals.Validators[0].Address == gone, seen
	})
	if _, stderr, err := gwon(t, t.TempDir(), "status"); err == nil ||
		!strings.Contains(stderr, "start one, or give its address") {
		t.Errorf("no node there: %v %q", err, stderr)
	}
}
