// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package settings

import (
	"os"
	"path/filepath"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/log"
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
