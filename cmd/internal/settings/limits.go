// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package settings

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/p2p/enode"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/program"
	"gwon/internal/process"
)

// Mebibyte is the unit of memory and disk space in bytes.
const Mebibyte = 1 << 20

// mostDirty is the recent state that a shutdown may have to write, in MiB.
const mostDirty = 256

// limitMemory sets the soft limit of Go's runtime from what this process may use: the limit of its control group or,
// without one, the memory of the machine. --memorylimit and GOMEMLIMIT take precedence.
func limitMemory(ctx *cli.Context) {
	if ctx.IsSet(utils.MemoryLimitFlag.Name) || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	total, source := utils.UsableMemory()
	if total == 0 {
		log.Warn("Memory limit unknown", "remedy", "set --memorylimit")
		return
	}
	limit := process.LimitMemory(total, uint64(max(ctx.Int(utils.CacheFlag.Name), 0))*Mebibyte)
	log.Info("Memory limit set", "limitMiB", limit/Mebibyte, "usableMiB", total/Mebibyte, "source", source)
}

// checkValues refuses values that upstream would take for something else, or report as a fault of the database.
func checkValues(ctx *cli.Context) error {
	for _, f := range []*cli.IntFlag{utils.MinFreeDiskSpaceFlag, utils.CacheFlag} {
		if n := ctx.Int(f.Name); n < 0 {
			return fmt.Errorf("--%s %d: give 0 or more", f.Name, n)
		}
	}
	for _, url := range utils.SplitAndTrim(ctx.String(utils.BootnodesFlag.Name)) {
		if _, err := enode.Parse(enode.ValidSchemes, url); err != nil {
			return fmt.Errorf("--%s: %q is not the URL of a node, such as enode://KEY@10.0.0.1:30303: %w",
				utils.BootnodesFlag.Name, url, err)
		}
	}
	return nil
}

// NewDiskGuard watches the disks of the data directory, of the databases and votes in it, and of the ancient store, if
// that is elsewhere. Unless the flag sets a limit there has to be room for twice what a shutdown writes.
func NewDiskGuard(ctx *cli.Context, cfg *Config) *process.DiskGuard {
	g := &process.DiskGuard{Ask: utils.FreeDiskSpace, Flag: utils.MinFreeDiskSpaceFlag.Name}
	g.Free = 2 * Mebibyte * uint64(max(0, min(cfg.Eth.TrieDirtyCache, mostDirty)))
	if ctx.IsSet(utils.MinFreeDiskSpaceFlag.Name) {
		g.Free = Mebibyte * uint64(max(0, ctx.Int(utils.MinFreeDiskSpaceFlag.Name)))
	}
	if cfg.Node.DataDir != "" {
		g.Dirs = append(g.Dirs, cfg.Node.DataDir, filepath.Join(cfg.Node.DataDir, program.Name))
	}
	if filepath.IsAbs(cfg.Eth.DatabaseFreezer) { // a relative one is inside of the data directory
		g.Dirs = append(g.Dirs, cfg.Eth.DatabaseFreezer)
	}
	return g
}
