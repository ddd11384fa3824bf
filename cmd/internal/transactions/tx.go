// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package transactions

import (
	"slices"

	"github.com/urfave/cli/v2"
)

// Command signs, sends and decodes transactions.
var Command = &cli.Command{
	Name:        "tx",
	Usage:       "Sign, send, decode, trace and simulate transactions",
	Subcommands: slices.Concat(txSignCommands(), txDecodeCommands()),
}
