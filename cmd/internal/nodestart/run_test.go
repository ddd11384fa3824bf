// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package nodestart

import (
	"testing"

	"github.com/ethereum/go-ethereum/node"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/apptest"
	"gwon/cmd/internal/blockchain"
	"gwon/cmd/internal/settings"
	"gwon/cmd/internal/validator"
	"gwon/eth"
)

func newApp() *cli.App {
	return settings.NewApp([]*cli.Command{blockchain.InitCommand, validator.Command})
}

// adoptNothing is the function that a start without --adopt calls.
func adoptNothing(*cli.Context, *settings.Config) error { return nil }

// registerNothing is the function of a program without services of its own.
func registerNothing(*cli.Context, *node.Node, *settings.Config, *eth.Service) {}

func run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	return apptest.Run(t, newApp(), args...)
}

// withFlags runs f in the context of a node that was started with args.
func withFlags(t *testing.T, f cli.ActionFunc, args ...string) error {
	t.Helper()
	return apptest.RunWithFlags(t, newApp(), f, args...)
}
