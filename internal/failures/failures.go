// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package failures says what to do about errors of the operating system.
package failures

import (
	"errors"
	"io/fs"
	"net"
	"strings"
	"syscall"
)

// FullDisk is the cure where nothing can be written.
const FullDisk = "the disk is full, or has no inodes left (df -h and df -i show which): free some, then start again"

// cures are those of failures of the operating system, which say nothing about the content of a file.
var cures = []struct {
	cure string
	of   []syscall.Errno
}{
	{FullDisk, []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT}},
	{"the file system is read-only: mount it for writing, or let the service write there", []syscall.Errno{syscall.EROFS}},
	{"this user may not use it: give it, or all of the data directory, to the user of the program with chown -R",
		[]syscall.Errno{syscall.EACCES, syscall.EPERM}},
	{"no more files can be opened: raise the limit (ulimit -n, LimitNOFILE of the service)",
		[]syscall.Errno{syscall.EMFILE, syscall.ENFILE}},
	{"the disk fails (dmesg shows how): replace or mend it, then start again", []syscall.Errno{syscall.EIO}},
}

// Cure returns what to do about an error of the operating system, and nothing for any other error. It goes by the text,
// because databases keep no more than that of an error.
func Cure(err error) string {
	for _, c := range cures {
		for _, failure := range c.of {
			if err != nil && strings.Contains(err.Error(), failure.Error()) {
				return c.cure
			}
		}
	}
	return ""
}

// Sentence returns what an error says, with what to do about a failure of the operating system at a file. The file is
// named once.
func Sentence(err error) string {
	text := err.Error()
	var file *fs.PathError
	if errors.As(err, &file) {
		before, after, found := strings.Cut(text, file.Error())
		if named := " " + before; found && (strings.Contains(named, " "+file.Path+" ") ||
			strings.Contains(named, " "+file.Path+":")) {
			text = before + file.Err.Error() + after
		}
	}
	var failure syscall.Errno
	if !errors.As(err, &failure) || errors.As(err, new(*net.OpError)) {
		return text
	}
	if cure := Cure(failure); !strings.Contains(text, cure) {
		text += ": " + cure
	}
	return text
}
