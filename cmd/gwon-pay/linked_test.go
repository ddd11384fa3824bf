// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"gwon/internal/must"
)

// own are the packages that gwon-pay links besides those of package pay: what reads transactions, proofs and
// endpoints, and nothing of a node.
var own = []string{
	"cmd/gwon-pay", "cmd/internal/payments", "cmd/internal/program", "cmd/internal/remotechain", "consensus/finality",
	"consensus/finality/remotestate", "consensus/wbft/bls", "consensus/wbft/extra", "consensus/wbft/internal/scheme",
	"consensus/wbft/validators", "contracts", "contracts/store", "core", "core/rules", "internal/atomicfile",
	"internal/completion",
	"internal/dial", "internal/door", "internal/hdkey", "internal/process", "internal/release", "internal/secretfile",
	"internal/txobject", "params",
}

// The program that has the payers' keys links no consensus, sync, pool, governance or snapshots. A package that is
// linked from now on is named in the list, with the reason in the commit.
func TestLinkedPackages(t *testing.T) {
	list := exec.Command("go", "list", "-deps", ".")
	list.Stderr = os.Stderr
	text := must.Get(list.Output())(t)
	packages := strings.Fields(string(text))
	if !slices.Contains(packages, "gwon/pay/sponsor") {
		t.Fatalf("%d packages are linked, and not the sponsor", len(packages))
	}
	for _, name := range packages {
		name, ours := strings.CutPrefix(name, "gwon/")
		if ours && !strings.HasPrefix(name, "pay/") && !slices.Contains(own, name) {
			t.Errorf("gwon-pay links gwon/%s", name)
		}
	}
}
