// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"strings"
	"testing"

	"gwon/cmd/internal/settings"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// The help page has some twenty flags and names the one that shows all; that one shows them, by category.
func TestHelp(t *testing.T) {
	short := must.Get(run(t, "--help"))(t)
	n := strings.Count(short, "\n   --")
	expect.That(t, n >= 15 && n <= 25, "--help shows %d flags:\n%s", n, short)
	for _, part := range []string{"--testnet", "--help-all", "doctor", "status", "gwon COMMAND", "gwon [flags]"} {
		expect.Contains(t, short, part, "--help lacks %q", part)
	}
	all := must.Get(run(t, "--help-all"))(t)
	for _, part := range []string{"--txpool.globalslots", "--health.peers", "--testnet", settings.CategoryValidator} {
		expect.Contains(t, all, part, "--help-all lacks %q", part)
	}
}
