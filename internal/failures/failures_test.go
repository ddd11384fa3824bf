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

// A file is named once, however many name it.
func TestFileIsNamedOnce(t *testing.T) {
	t.Parallel()
	missing := &fs.PathError{Op: "open", Path: "a/b", Err: syscall.ENOENT}
	for want, err := range map[string]error{
		"open a/b: no such file or directory":                 missing,
		"read a/b: no such file or directory":                 fmt.Errorf("read a/b: %w", missing),
		"genesis file a/b: no such file or directory, twice":  fmt.Errorf("genesis file a/b: %w, twice", missing),
		"a/b is damaged: no such file or directory":           fmt.Errorf("a/b is damaged: %w", missing),
		"export of a/bc: open a/b: no such file or directory": fmt.Errorf("export of a/bc: %w", missing),
		"x/a/b: open a/b: no such file or directory":          fmt.Errorf("x/a/b: %w", missing),
	} {
		if text := Sentence(err); text != want {
			t.Errorf("%q, want %q", text, want)
		}
	}
}
