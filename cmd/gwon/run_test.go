// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/apptest"
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
