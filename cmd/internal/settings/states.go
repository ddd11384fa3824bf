// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package settings

import (
	"fmt"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/urfave/cli/v2"
)

// keepArchive makes an archive keep the states of all blocks, unless flag or file name another number. Upstream's
// default of 90,000 blocks is 12 days of blocks of 12 seconds, and 25 hours of blocks of one.
func keepArchive(upstream *cli.Context, cfg *ethconfig.Config) {
	named := upstream.IsSet(utils.StateHistoryFlag.Name) || cfg.StateHistory != ethconfig.Defaults.StateHistory
	if cfg.NoPruning && !named {
		cfg.StateHistory = 0
	}
}

// KeptStates names the states that a chain keeps.
func KeptStates(cfg *ethconfig.Config, scheme string) string {
	switch {
	case !cfg.NoPruning:
		return "newest 128 blocks with changes"
	case cfg.StateHistory == 0 || scheme == rawdb.HashScheme:
		return "all blocks from the first one executed here"
	}
	return fmt.Sprintf("newest %d blocks", cfg.StateHistory)
}
