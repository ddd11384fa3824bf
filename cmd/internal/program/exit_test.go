// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package program

import (
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"gwon/internal/process"
)

// A file that cannot be made is no riddle: a disk without inodes shows free space.
func TestFullDiskIsExplainedOnce(t *testing.T) {
	t.Parallel()
	full := &fs.PathError{Op: "mkdir", Path: "/data/gwon", Err: syscall.ENOSPC}
	for _, err := range []error{
		full, WithStatus(fmt.Errorf("start node: %w", full), 3), fmt.Errorf("open: %w: %s", full, process.FullDisk),
	} {
		text := sentence(err)
		if strings.Count(text, process.FullDisk) != 1 || !strings.Contains(text, "/data/gwon") {
			t.Errorf("%v became %q", err, text)
		}
	}
	if text := sentence(&fs.PathError{Op: "mkdir", Path: "/data", Err: syscall.EACCES}); strings.Contains(text, "inodes") {
		t.Errorf("missing permission: %q", text)
	}
}
