// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package program

import "testing"

// The last line of a password file serves every account beyond it.
func TestPasswordFile(t *testing.T) {
	p := &PasswordSource{lines: []string{"one", "two"}}
	for i, want := range []string{"one", "two", "two"} {
		if got, err := p.Get(i, "", false); err != nil || got != want {
			t.Errorf("account %d: %q, error %v, want %q", i, got, err, want)
		}
	}
}
