// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package localnet

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gwon/internal/must"
)

// The validators run the given program, else that beside this one, else that of PATH. Without any the error says what
// to do.
func TestFindGwon(t *testing.T) {
	own, err := os.Executable()
	must.Do(t, err)
	if own, err = filepath.EvalSymlinks(own); err != nil {
		t.Fatal(err)
	}
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
	if _, err := findGwon(""); err == nil || !strings.Contains(err.Error(), "install it, or give --gwon FILE: ") {
		t.Errorf("without any: %v", err)
	}
	if _, err := findGwon(given + ".missing"); err == nil || !strings.Contains(err.Error(), "--gwon "+given+".missing") {
		t.Errorf("a missing one is given: %v", err)
	}
	t.Setenv("PATH", filepath.Dir(searched))
	if path, err := findGwon(""); err != nil || path != searched {
		t.Errorf("in PATH alone: %s, %v", path, err)
	}
	t.Cleanup(func() { _ = os.Remove(beside) }) // gone with the directory of the test binary otherwise
	install(filepath.Dir(own))
	if path, err := findGwon(""); err != nil || path != beside {
		t.Errorf("beside and in PATH: %s, %v", path, err)
	}
	if path, err := findGwon(given); err != nil || path != given {
		t.Errorf("given: %s, %v", path, err)
	}
}
