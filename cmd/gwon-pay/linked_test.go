// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"os"
	"os/exec"
	"path/filepath"
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
	"consensus/wbft/validators", "internal/abivalue", "internal/amounts", "internal/atomicfile", "internal/chains",
	"internal/completion", "internal/dial", "internal/door", "internal/failures", "internal/follow", "internal/hdkey",
	"internal/release", "internal/secretfile", "internal/shellword", "internal/start", "internal/tomltext",
	"internal/txobject", "internal/usage", "params",
}

// upstream are the packages of go-ethereum with files of ours that gwon-pay links. None executes a transaction.
var upstream = []string{
	"cmd/bridge", "core/rawdb", "core/types", "crypto", "crypto/kzg4844", "params", "rpc",
}

// The program that has the payers' keys links no consensus, sync, pool, governance or snapshots. A package that is
// linked from now on is named in the list, with the reason in the commit.
func TestLinkedPackages(t *testing.T) {
	list := exec.Command("go", "list", "-deps", ".")
	list.Stderr = os.Stderr
	text := must.Get(list.Output())(t)
	packages := strings.Fields(string(text))
	must.That(t, slices.Contains(packages, "gwon/pay/sponsor"),
		"%d packages are linked, and not the sponsor", len(packages))
	for _, path := range packages {
		name, ours := strings.CutPrefix(path, "gwon/")
		if ours && !strings.HasPrefix(name, "pay/") && !slices.Contains(own, name) {
			t.Errorf("gwon-pay links %s", path)
		}
		name, theirs := strings.CutPrefix(path, "github.com/ethereum/go-ethereum/")
		if theirs && !slices.Contains(upstream, name) && hasSibling(name) {
			t.Errorf("gwon-pay links %s, which has files of ours", path)
		}
	}
}

// hasSibling reports whether a package of go-ethereum has files of ours besides tests.
func hasSibling(name string) bool {
	files, err := filepath.Glob(filepath.Join("..", "..", "upstream", "siblings", filepath.FromSlash(name), "*.gwon.go"))
	return err == nil && len(files) > 0
}
