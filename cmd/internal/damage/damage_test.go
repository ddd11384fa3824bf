// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package damage

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"gwon/internal/expect"
	"gwon/internal/failures"
)

// A panic that is not about the database goes on.
func TestOtherPanics(t *testing.T) {
	for _, fault := range []any{"fatal: text", errors.New("index out of range")} {
		func() {
			defer func() { expect.That(t, recover() != nil, "%v was swallowed", fault) }()
			var err error
			defer Explain(&err)
			panic(fault)
		}()
	}
}

// What the operating system refuses is no damage: nothing has to be restored or removed, and the last words are its own
// (docs/operate/runbooks/down.md). The key-value store keeps the text of the error only.
func TestFailuresOfTheSystem(t *testing.T) {
	for cause, cure := range map[error]string{
		syscall.ENOSPC: failures.FullDisk,
		syscall.EDQUOT: failures.FullDisk,
		syscall.EROFS:  "mount it for writing",
		syscall.EACCES: "chown",
		syscall.EPERM:  "chown",
		syscall.EMFILE: "raise the limit",
		syscall.ENFILE: "raise the limit",
		syscall.EIO:    "dmesg",
	} {
		store := errors.New("MANIFEST flush failed: write 000001.log: " + cause.Error())
		var fatal error
		func() {
			defer Explain(&fatal)
			panic(fmt.Errorf("fatal: %w", store))
		}()
		for _, err := range []error{
			fatal, OpenError(store), OpenError(fmt.Errorf("open: %w", cause)), Lost("/data", fmt.Errorf("gap: %w", cause)),
		} {
			text := err.Error()
			expect.That(t, strings.Contains(text, cure) && !strings.Contains(text, "damaged") &&
				!strings.Contains(text, "removedb") && strings.HasSuffix(text, cause.Error()), "%v", err)
		}
	}
}
