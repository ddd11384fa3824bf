// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package process

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/metrics"
)

var (
	freeGauge  = metrics.NewRegisteredGauge("gwon/disk/free", nil)
	limitGauge = metrics.NewRegisteredGauge("gwon/disk/limit", nil)
)

// diskInterval is the time between two checks. Upstream's own monitor takes 30 s.
const diskInterval = time.Second

// minFiles is the number of new files that a disk has to have room for. A database with a chain makes a few a minute.
const minFiles = 1024

// DiskGuard stops a process before a disk that it writes to is full. The database ends the process where it stands when
// a write fails, with a stack trace instead of a reason.
type DiskGuard struct {
	Dirs []string                         // directories whose disks are watched; those that do not exist are skipped
	Free uint64                           // bytes that have to be free; 0 watches nothing
	Ask  func(dir string) (uint64, error) // returns the free bytes on the disk of a directory
	Flag string                           // flag that sets Free, for the error

	// Files returns how many files can still be made on the disk of a directory. A disk without inodes has room for
	// bytes and none for a file.
	Files func(dir string) (uint64, error)

	mu   sync.Mutex
	full error
}

// Check returns an error with the remedy when a disk has less than the wanted space, or no room for files.
func (g *DiskGuard) Check() error {
	if g.Free == 0 {
		return nil
	}
	files, dir, err := g.least(g.Files)
	if err != nil {
		return err
	}
	if files < minFiles {
		return fmt.Errorf("the disk of %s has room for %d more files only, at least %d have to be free: delete small files "+
			"or move the directory to a disk with more inodes (df -i shows them), then start again", dir, files, minFiles)
	}
	free, dir, err := g.least(g.Ask)
	if err == nil && free < math.MaxInt64 { // a chain in memory has no disk
		freeGauge.Update(int64(free))
	}
	limitGauge.Update(int64(g.Free))
	if err == nil && free < g.Free {
		return fmt.Errorf("the disk of %s is full: %v are free, at least %v have to be: free space, then start again "+
			"(--%s sets the limit in MB)", dir, common.StorageSize(free), common.StorageSize(g.Free), g.Flag)
	}
	return err
}

// Least returns the free bytes on the fullest of the disks, or the highest number without one to watch.
func (g *DiskGuard) Least() (uint64, error) {
	free, _, err := g.least(g.Ask)
	return free, err
}

// least returns the lowest answer of ask for any directory that exists.
func (g *DiskGuard) least(ask func(dir string) (uint64, error)) (least uint64, of string, err error) {
	least = math.MaxUint64
	for _, dir := range g.Dirs {
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			continue // not made yet
		}
		free, err := ask(dir)
		if err != nil {
			return 0, dir, fmt.Errorf("free space on the disk of %s: %w", dir, err)
		}
		if free < least {
			least, of = free, dir
		}
	}
	return least, of, nil
}

// OnePerDisk returns the first of the directories that exist on each disk.
func (g *DiskGuard) OnePerDisk() (dirs []string) {
	seen := make(map[uint64]bool)
	for _, dir := range g.Dirs {
		if _, err := os.Stat(dir); err != nil {
			continue
		}
		disk, err := device(dir)
		if err != nil || !seen[disk] {
			dirs = append(dirs, dir)
		}
		seen[disk] = true
	}
	return dirs
}

// TellSlow logs a warning every ten seconds until end is called: a database that is opened on a full or broken disk may
// try for ever, and says nothing.
func (g *DiskGuard) TellSlow() (end func()) {
	done := make(chan struct{})
	go func() {
		ticker, begun := time.Tick(10*time.Second), time.Now()
		for {
			select {
			case <-ticker:
			case <-done:
				return
			}
			facts := []any{"since", common.PrettyDuration(time.Since(begun))}
			if free, dir, err := g.least(g.Ask); err != nil {
				facts = append(facts, "err", err)
			} else {
				facts = append(facts, "leastFree", common.StorageSize(free), "at", dir)
			}
			facts = append(facts, "remedy", "if this goes on, look at that disk (df -h, dmesg)")
			log.Warn("The chain database is still being opened", facts...)
		}
	}()
	return sync.OnceFunc(func() { close(done) })
}

// Watch calls stop once, when a disk is full, unless ctx ends first.
func (g *DiskGuard) Watch(ctx context.Context, stop func()) {
	ticker := time.Tick(diskInterval)
	for {
		select {
		case <-ticker:
		case <-ctx.Done():
			return
		}
		if err := g.Check(); err != nil {
			g.mu.Lock()
			g.full = err
			g.mu.Unlock()
			log.Error("DISK FULL, shutting down", "reason", err)
			stop()
			return
		}
	}
}

// Reason returns the error that made Watch call stop, or nil.
func (g *DiskGuard) Reason() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.full
}
