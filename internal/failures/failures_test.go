// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package failures

import (
	"fmt"
	"io/fs"
	"net"
	"strings"
	"syscall"
	"testing"

	"gwon/internal/expect"
)

// What the operating system refuses at a file is no riddle: a disk without inodes shows free space.
func TestFailuresAtFilesHaveOneCure(t *testing.T) {
	t.Parallel()
	refused := func(failure syscall.Errno) error {
		return &fs.PathError{Op: "mkdir", Path: "/data/gwon", Err: failure}
	}
	full := refused(syscall.ENOSPC)
	for err, cure := range map[error]string{
		full:                          "inodes",
		fmt.Errorf("start: %w", full): "inodes",
		fmt.Errorf("open: %w: %s", full, FullDisk):      "inodes",
		refused(syscall.EROFS):                          "mount it for writing",
		refused(syscall.EACCES):                         "chown",
		refused(syscall.ENOENT):                         "/data/gwon",
		&net.OpError{Op: "listen", Err: syscall.EACCES}: "denied",
	} {
		text := Sentence(err)
		expect.That(t, strings.Count(text, cure) == 1 && strings.HasPrefix(text, err.Error()), "%v became %q", err, text)
	}
	text := Sentence(&net.OpError{Op: "listen", Err: syscall.EACCES})
	expect.That(t, !strings.Contains(text, "chown"), "a port has the cure of a file: %q", text)
}
