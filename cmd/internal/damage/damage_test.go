// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package damage

import (
	"errors"
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
