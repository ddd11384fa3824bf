// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"gwon/internal/must"
)

// A validator links nothing of the developers' tools and of the payment services.
func TestLinkedPackages(t *testing.T) {
	list := exec.Command("go", "list", "-deps", ".")
	list.Stderr = os.Stderr
	text := must.Get(list.Output())(t)
	packages := strings.Fields(string(text))
	if len(packages) < 300 {
		t.Fatalf("%d packages are linked", len(packages))
	}
	for _, name := range packages {
		for _, foreign := range []string{"gwon/dev", "gwon/pay"} {
			if name == foreign || strings.HasPrefix(name, foreign+"/") {
				t.Errorf("gwon links %s", name)
			}
		}
	}
}
