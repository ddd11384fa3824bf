// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"os"
	"testing"
)

// The bindings are those of the artifacts, to the byte.
func TestBindingsAreFresh(t *testing.T) {
	want, err := source()
	if err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile("../bindings.go")
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != want {
		t.Error("bindings.go is not what the artifacts give: make bindings")
	}
}
