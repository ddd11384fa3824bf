// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package nodestart

import (
	"testing"

	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/apptest"
	"gwon/cmd/internal/blockchain"
	"gwon/cmd/internal/settings"
	"gwon/cmd/internal/validator"
)

func newApp() *cli.App {
	return settings.NewApp([]*cli.Command{blockchain.InitCommand, validator.Command})
}

func run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	return apptest.Run(t, newApp(), args...)
}

// withFlags runs f in the context of a node that was started with args.
func withFlags(t *testing.T, f cli.ActionFunc, args ...string) error {
	t.Helper()
	return apptest.RunWithFlags(t, newApp(), f, args...)
}
