// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package keys

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/urfave/cli/v2"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// A password file that others can read is refused.
func TestPasswordFileOfOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "passwords")
	must.Do(t, os.WriteFile(path, []byte("one\r\ntwo\n"), 0o600))
	set := flag.NewFlagSet("", flag.ContinueOnError)
	set.String(utils.PasswordFileFlag.Name, path, "")
	ctx := cli.NewContext(nil, set, nil)
	p, err := newPasswordSource(ctx)
	expect.That(t, err == nil && strings.Join(p.lines, " ") == "one two", "%+v, error %v", p, err)
	must.Do(t, os.Chmod(path, 0o644))
	expect.Says(t, expect.Err(newPasswordSource(ctx)), "chmod 600", "newPasswordSource")
}

// The last line of a password file serves every account beyond it.
func TestPasswordFile(t *testing.T) {
	p := &passwordSource{lines: []string{"one", "two"}}
	for i, want := range []string{"one", "two", "two"} {
		got, err := p.Get(i, "", false)
		expect.That(t, err == nil && got == want, "account %d: %q, error %v, want %q", i, got, err, want)
	}
}

// An empty line is no new password. The password of a key that is there may be empty.
func TestEmptyPassword(t *testing.T) {
	p := &passwordSource{path: "FILE", lines: []string{"", "two", ""}}
	for i, want := range []string{"line 1 of the password file FILE is", "", "line 3 of the password file FILE"} {
		if _, err := p.Get(i, "", true); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("new, line %d: error %v, want %q", i+1, err, want)
		}
		expect.Equal(t, must.Get(p.Get(i, "", false))(t), p.lines[i], "old, line %d", i+1)
	}
}

// What is asked for twice comes from two lines: no password serves as the new one besides.
func TestNewPasswordHasItsLine(t *testing.T) {
	for lines := 1; lines <= 3; lines++ {
		p := &passwordSource{path: "FILE", lines: []string{"one", "two", "three"}[:lines]}
		for i := range 4 {
			password, err := p.Get(i, "", true)
			named := fmt.Sprintf("line %d of the password file FILE", i+1)
			if i < lines && (err != nil || password != p.lines[i]) ||
				i >= lines && (err == nil || !strings.Contains(err.Error(), named)) {
				t.Errorf("line %d of %d: %q, error %v", i+1, lines, password, err)
			}
		}
	}
}
