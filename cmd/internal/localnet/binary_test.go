// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package localnet

import (
	"os"
	"path/filepath"
	"testing"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// The validators run the given program, else that beside this one, else that of PATH. Without any the error says what
// to do.
func TestFindGwon(t *testing.T) {
	own := must.Get(os.Executable())(t)
	own = must.Get(filepath.EvalSymlinks(own))(t)
	install := func(dir string) string {
		t.Helper()
		path := filepath.Join(dir, "gwon")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o700); err != nil { //nolint:gosec // a program
			t.Fatal(err)
		}
		return path
	}
	given, searched, beside := install(t.TempDir()), install(t.TempDir()), filepath.Join(filepath.Dir(own), "gwon")
	t.Setenv("PATH", "")
	expect.Says(t, expect.Err(findGwon("")), "install it, or give --gwon FILE: ", "without any")
	expect.Says(t, expect.Err(findGwon(given+".missing")), "--gwon "+given+".missing", "a missing one is given")
	t.Setenv("PATH", filepath.Dir(searched))
	expect.Equal(t, must.Get(findGwon(""))(t), searched, "in PATH alone")
	t.Cleanup(func() { _ = os.Remove(beside) }) // gone with the directory of the test binary otherwise
	install(filepath.Dir(own))
	expect.Equal(t, must.Get(findGwon(""))(t), beside, "beside and in PATH")
	expect.Equal(t, must.Get(findGwon(given))(t), given, "given")
}
