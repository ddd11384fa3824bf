// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/log"
	"github.com/urfave/cli/v2"
)

const (
	diskInterval = time.Second // between two looks; upstream's own monitor takes 30 s
	mebibyte     = 1 << 20
	mostDirty    = 256 // MiB of recent state that a shutdown may have to write
)

// diskGuard stops a process before a disk that it writes to is full. The database ends the process where it stands when a
// write fails, with a stack trace instead of a reason.
type diskGuard struct {
	dirs []string // whose disks are watched
	free uint64   // bytes that have to be free; 0 watches nothing
	ask  func(dir string) (uint64, error)

	mu   sync.Mutex
	full error
}

// newDiskGuard watches the disks of the data directory, of the databases and votes in it, and of the ancient store, if that is
// elsewhere. Unless the flag says otherwise there has to be room for what a shutdown writes, twice over.
func newDiskGuard(ctx *cli.Context, cfg *config) *diskGuard {
	g := &diskGuard{free: 2 * mebibyte * uint64(max(0, min(cfg.Eth.TrieDirtyCache, mostDirty))), ask: utils.FreeDiskSpace}
	if ctx.IsSet(utils.MinFreeDiskSpaceFlag.Name) {
		g.free = mebibyte * uint64(max(0, ctx.Int(utils.MinFreeDiskSpaceFlag.Name)))
	}
	if cfg.Node.DataDir != "" {
		g.dirs = append(g.dirs, cfg.Node.DataDir, filepath.Join(cfg.Node.DataDir, clientName))
	}
	if filepath.IsAbs(cfg.Eth.DatabaseFreezer) { // a relative one is inside of the data directory
		g.dirs = append(g.dirs, cfg.Eth.DatabaseFreezer)
	}
	return g
}

// check returns an error that says what to do when a disk has less than the wanted space.
func (g *diskGuard) check() error {
	if g.free == 0 {
		return nil
	}
	for _, dir := range g.dirs {
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			continue // not made yet
		}
		free, err := g.ask(dir)
		if err != nil {
			return fmt.Errorf("free space on the disk of %s: %w", dir, err)
		}
		if free < g.free {
			return fmt.Errorf("the disk of %s is full: %v are free, at least %v have to be: free space, then start again "+
				"(--%s sets the limit in MB)", dir, common.StorageSize(free), common.StorageSize(g.free), utils.MinFreeDiskSpaceFlag.Name)
		}
	}
	return nil
}

// watch calls stop once, when a disk is full, unless ctx ends first.
func (g *diskGuard) watch(ctx context.Context, stop func()) {
	ticker := time.NewTicker(diskInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		if err := g.check(); err != nil {
			g.mu.Lock()
			g.full = err
			g.mu.Unlock()
			log.Error("DISK FULL, shutting down", "reason", err)
			stop()
			return
		}
	}
}

// reason returns the error that made watch call stop, or nil.
func (g *diskGuard) reason() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.full
}
