// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package testnode

import (
	"slices"

	"github.com/ethereum/go-ethereum/cmd/bridge"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/datadir"
	"gwon/cmd/internal/feed"
	"gwon/cmd/internal/remotechain"
	"gwon/cmd/internal/settings"
	"gwon/internal/wellknown"
	"gwon/params"
)

// Flags of the developer chain, beside those of a node.
var (
	chainIDFlag = &cli.Uint64Flag{
		Name:  "dev.chainid",
		Usage: "Chain ID",
		Value: params.DevChainID,
	}
	periodFlag = &cli.DurationFlag{
		Name:  "dev.period",
		Usage: "Time between blocks in whole seconds (0 = a block when a transaction arrives)",
	}
	stateFlag = &cli.PathFlag{
		Name:  "state",
		Usage: "Directory that keeps the chain: begun if it is not there, otherwise continued (default: in memory)",
	}
	mnemonicFlag = &cli.StringFlag{
		Name:  "mnemonic",
		Usage: "Phrase of the funded accounts",
		Value: wellknown.Mnemonic,
	}
	allocFlag = &cli.PathFlag{
		Name:  "alloc",
		Usage: "JSON file with accounts for the genesis block, as in the alloc of a genesis file",
	}
)

// OwnFlags are the flags of gwon-dev node that no other node has.
var OwnFlags = slices.Concat([]cli.Flag{
	chainIDFlag, periodFlag, stateFlag, mnemonicFlag, allocFlag, datadir.ContractsVersionFlag, feed.ABIFlag,
	feed.QuietFlag, feed.PrintTracesFlag,
}, remotechain.Fork.Flags(), []cli.Flag{forkBlockFlag, forkPrefetchFlag})

// flags returns the flags of gwon-dev node. A network cannot be chosen, because the chain is its own.
func flags() []cli.Flag {
	others := slices.DeleteFunc(settings.NodeFlags(), func(f cli.Flag) bool {
		return slices.Contains(settings.NetworkFlags, f)
	})
	return slices.Concat(OwnFlags, others, bridge.DebugFlags)
}
