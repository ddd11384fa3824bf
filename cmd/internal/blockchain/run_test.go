// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package blockchain

import (
	"testing"

	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/apptest"
	"gwon/cmd/internal/settings"
)

func newApp() *cli.App {
	return settings.NewApp([]*cli.Command{
		ContractsCommand, DBCommand, DumpGenesisCommand, ExportCommand, ExportHistoryCommand, GenesisCommand,
		ImportCommand, InitCommand, ProofCommand,
		PruneHistoryCommand, RemoveDBCommand, SnapshotCommand,
	})
}

func run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	return apptest.Run(t, newApp(), args...)
}

func runApp(t *testing.T, stdin string, args ...string) (string, error) {
	t.Helper()
	return apptest.RunWith(t, newApp(), stdin, args...)
}

// withFlags runs f in the context of a node that was started with args.
func withFlags(t *testing.T, f cli.ActionFunc, args ...string) error {
	t.Helper()
	return apptest.RunWithFlags(t, newApp(), f, args...)
}
