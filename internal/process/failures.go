// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package process

import (
	"strings"
	"syscall"
)

// FullDisk is the cure where nothing can be written.
const FullDisk = "the disk is full, or has no inodes left (df -h and df -i show which): free some, then start again"

const (
	noRight  = "this user may not use a file: give all of the data directory to the user of the node with chown -R"
	readOnly = "the file system is read-only: mount it for writing, or let the service write there, then start again"
	allFiles = "no more files can be opened: raise the limit (ulimit -n, LimitNOFILE of the service), then start again"
	badDisk  = "the disk fails (dmesg shows how): replace or mend it, then start again"
)

// failures are those of the operating system, with their cures. They say nothing about the content of a file.
var failures = []struct {
	error syscall.Errno
	cure  string
}{
	{syscall.ENOSPC, FullDisk},
	{syscall.EDQUOT, FullDisk},
	{syscall.EROFS, readOnly},
	{syscall.EACCES, noRight},
	{syscall.EPERM, noRight},
	{syscall.EMFILE, allFiles},
	{syscall.ENFILE, allFiles},
	{syscall.EIO, badDisk},
}

// Cure returns what to do about an error of the operating system, and nothing for any other error. It goes by the text,
// because databases keep no more than that of an error.
func Cure(err error) string {
	for _, f := range failures {
		if err != nil && strings.Contains(err.Error(), f.error.Error()) {
			return f.cure
		}
	}
	return ""
}
