// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/apptest"
	"gwon/consensus/wbft/wbfttest"
	"gwon/internal/must"
)

func run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	return apptest.Run(t, newApp(), args...)
}

// withFlags runs f in the context of a node that was started with args.
func withFlags(t *testing.T, f cli.ActionFunc, args ...string) error {
	t.Helper()
	return apptest.RunWithFlags(t, newApp(), f, args...)
}

// No text of a command shows more of an endpoint than scheme and host.
func TestEndpointsAreHidden(t *testing.T) {
	hash := "0x" + strings.Repeat("11", 32)
	apptest.CheckHidden(t, newApp,
		"status --datadir DIR --rpc URL",
		"attach --datadir DIR --exec eth.chainId URL",
		"proof receipt --rpc URL --trusted "+hash+" "+hash+" DIR/proof",
		"gov status --rpc URL",
		"contracts fetch --rpc URL --datadir DIR",
		"evidence export --rpc URL DIR/evidence")
}

// The first start of a node says what a person has to know on one screen, and names no fault.
func TestStartIsBrief(t *testing.T) {
	data := t.TempDir()
	apptest.OnChain(t, data, wbfttest.New(t, 1), func(*gethcore.BlockChain) error { return nil })
	command := exec.CommandContext(t.Context(), os.Args[0], "--datadir", data, "--port", "0", "--nodiscover", "--http",
		"--http.port", "0", "--exit.stdin")
	command.Env = append(os.Environ(), apptest.RunMain+"=1")
	out, err := command.CombinedOutput()
	must.That(t, err == nil, "%v: %s", err, out)
	start, _, _ := strings.Cut(string(out), "Standard input closed")
	if n := strings.Count(start, "\n"); n > 20 || strings.Contains(start, "ailed") || strings.Contains(start, "journal") {
		t.Errorf("%d lines:\n%s", n, start)
	}
}
