// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package program

import (
	"strings"
	"testing"
)

// The last line of a password file serves every account beyond it.
func TestPasswordFile(t *testing.T) {
	p := &PasswordSource{lines: []string{"one", "two"}}
	for i, want := range []string{"one", "two", "two"} {
		if got, err := p.Get(i, "", false); err != nil || got != want {
			t.Errorf("account %d: %q, error %v, want %q", i, got, err, want)
		}
	}
}

// An empty line is no new password. The password of a key that is there may be empty.
func TestEmptyPassword(t *testing.T) {
	p := &PasswordSource{path: "FILE", lines: []string{"", "two", ""}}
	for i, want := range []string{"line 1 of the password file FILE is empty", "", "line 3 of the password file FILE"} {
		if _, err := p.Get(i, "", true); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("new, line %d: error %v, want %q", i+1, err, want)
		}
		if password, err := p.Get(i, "", false); err != nil || password != p.lines[i] {
			t.Errorf("old, line %d: %q, error %v", i+1, password, err)
		}
	}
}
