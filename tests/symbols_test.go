// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

//go:build nodes

package tests

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// foreignSymbol matches the functions that make a process that of a developer chain, all of dev and pay, the reader of
// other nodes, and what replaces signatures or votes in tests: the simulator and the tools.
var foreignSymbol = regexp.MustCompile(`/core\.(ChangeStates|OpenForked)$|/core/state\.ReadAhead$|` +
	`/core/types\.NameSigners$| gwon/(dev|pay|consensus/wbft/sim|consensus/finality/remotestate|tools)[/.]`)

// The program gwon has no code that could change states or name signers, and none of the developers' tools and the
// payment services. gwon-dev has them, so that the names are those of today. docs/adr/0080
func TestSymbols(t *testing.T) {
	t.Parallel()
	symbols := func(name string) []string {
		text, err := exec.Command("go", "tool", "nm", programPath(name)).Output()
		must.That(t, err == nil, "symbols of %s: %v", name, err)
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		must.That(t, len(lines) >= 10_000, "%s has %d symbols: it was stripped", name, len(lines))
		var found []string
		for _, line := range lines {
			if foreignSymbol.MatchString(line) {
				found = append(found, line)
			}
		}
		return found
	}
	if found := symbols("gwon"); len(found) > 0 {
		t.Errorf("gwon has %d symbols of other programs, as %s", len(found), found[0])
	}
	have := strings.Join(symbols("gwon-dev"), "\n")
	for _, want := range []string{
		"core.ChangeStates", "core.OpenForked", "state.ReadAhead", "types.NameSigners", "gwon/dev/devchain.",
		"gwon/dev/light.", "gwon/consensus/finality/remotestate.",
		"gwon/pay/sponsor.",
	} {
		expect.Contains(t, have, want, "gwon-dev has no %s: the test looks for other names", want)
	}
}
