// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package program

import (
	"fmt"
	"io/fs"
	"net"
	"strings"
	"syscall"
	"testing"

	"gwon/internal/failures"
)

// What the operating system refuses at a file is no riddle: a disk without inodes shows free space.
func TestFailuresAtFilesHaveOneCure(t *testing.T) {
	t.Parallel()
	refused := func(failure syscall.Errno) error {
		return &fs.PathError{Op: "mkdir", Path: "/data/gwon", Err: failure}
	}
	full := refused(syscall.ENOSPC)
	for err, cure := range map[error]string{
		full: "inodes",
		WithStatus(fmt.Errorf("start: %w", full), 3):        "inodes",
		fmt.Errorf("open: %w: %s", full, failures.FullDisk): "inodes",
		refused(syscall.EROFS):                              "mount it for writing",
		refused(syscall.EACCES):                             "chown",
		refused(syscall.ENOENT):                             "/data/gwon",
		&net.OpError{Op: "listen", Err: syscall.EACCES}:     "denied",
	} {
		if text := sentence(err); strings.Count(text, cure) != 1 || !strings.HasPrefix(text, err.Error()) {
			t.Errorf("%v became %q", err, text)
		}
	}
	if text := sentence(&net.OpError{Op: "listen", Err: syscall.EACCES}); strings.Contains(text, "chown") {
		t.Errorf("a port has the cure of a file: %q", text)
	}
}
