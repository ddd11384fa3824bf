// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package feed

import "github.com/urfave/cli/v2"

// Flags of what a development network prints.
var (
	ABIFlag = &cli.StringFlag{
		Name: "abi",
		Usage: "Folders with artifacts of Foundry or Hardhat, separated by commas, as ./out,./artifacts: contracts with " +
			"their code are decoded",
		EnvVars: []string{"GWON_ABI"}, // one setting for the network and for the commands that ask it
	}
	QuietFlag = &cli.BoolFlag{Name: "quiet", Usage: "Print nothing but errors"}

	PrintTracesFlag = &cli.BoolFlag{
		Name:  "print-traces",
		Usage: "Print the tree of calls of every transaction, not just of failed ones",
	}
)
