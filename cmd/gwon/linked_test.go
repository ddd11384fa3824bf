// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// A validator links nothing of the developers' tools and of the payment services. The start of a node links no command,
// neither of chain files nor of governance.
func TestLinkedPackages(t *testing.T) {
	commands := []string{
		"gwon/cmd/internal/blockchain", "gwon/cmd/internal/govern", "gwon/cmd/internal/validator", "gwon/operator/governance",
		"gwon/operator/snapshot",
	}
	for program, foreign := range map[string][]string{".": nil, "../internal/nodestart": commands} {
		list := exec.Command("go", "list", "-deps", program)
		list.Stderr = os.Stderr
		text := must.Get(list.Output())(t)
		packages := strings.Fields(string(text))
		must.That(t, len(packages) >= 300, "%s: %d packages are linked", program, len(packages))
		for _, name := range packages {
			for _, foreign := range append(foreign, "gwon/dev", "gwon/pay") {
				expect.That(t, name != foreign && !strings.HasPrefix(name, foreign+"/"), "%s links %s", program, name)
			}
		}
	}
}
