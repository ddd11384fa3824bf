// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package damage

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
)

// A panic that is not about the database goes on.
func TestOtherPanics(t *testing.T) {
	for _, fault := range []any{"fatal: text", errors.New("index out of range")} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%v was swallowed", fault)
				}
			}()
			var err error
			defer Explain(&err)
			panic(fault)
		}()
	}
}

// A full disk is no damage: nothing has to be restored or removed. The key-value store keeps the text of the error
// only.
func TestFullDisk(t *testing.T) {
	for _, cause := range []error{syscall.ENOSPC, syscall.EDQUOT} {
		store := errors.New("MANIFEST flush failed: write 000001.log: " + cause.Error())
		var fatal error
		func() {
			defer Explain(&fatal)
			panic(fmt.Errorf("fatal: %w", store))
		}()
		for _, err := range []error{fatal, OpenError(store), OpenError(fmt.Errorf("open: %w", cause))} {
			if text := err.Error(); !strings.Contains(text, "the disk is full, or has no inodes left") ||
				strings.Contains(text, "damaged") {
				t.Errorf("%v", err)
			}
		}
	}
}
