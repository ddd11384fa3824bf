// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"os"
	"runtime/debug"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/log"
	"github.com/urfave/cli/v2"
)

// gcPercent is the default of --gogc: how much the heap grows between two collections, in percent of what is alive.
const gcPercent = 100

// limitMemory sets the soft limit of Go's runtime from what this process may use: the limit of its control group or, without one, the
// memory of the machine. --memorylimit and GOMEMLIMIT take precedence.
func limitMemory(ctx *cli.Context) {
	if ctx.IsSet(utils.MemoryLimitFlag.Name) || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	total, source := utils.UsableMemory()
	if total == 0 {
		log.Warn("Memory limit unknown", "remedy", "set --memorylimit")
		return
	}
	limit := softLimit(total, uint64(max(ctx.Int(utils.CacheFlag.Name), 0))<<20)
	debug.SetMemoryLimit(int64(limit))
	log.Info("Memory limit set", "limitMiB", limit>>20, "usableMiB", total>>20, "source", source)
}

// softLimit returns the soft limit of Go's heap in bytes, where the process may use total bytes: a tenth is for what the runtime does
// not count, and database caches of so many bytes stand outside the heap.
func softLimit(total, caches uint64) uint64 {
	limit := total - total/10
	return max(limit-min(caches, limit), total/2)
}
