// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package datadir

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/ethereum/go-ethereum/log"

	"gwon/cmd/internal/damage"
	"gwon/cmd/internal/program"
	"gwon/internal/process"
)

const (
	lockPatience = 10 * time.Second       // with the process that had the data directory before, and was killed
	lockInterval = 500 * time.Millisecond // between two attempts
)

// OnceUnlocked opens the data directory dir by open. While another process has it, as one does that was killed just
// now, it tries again for up to lockPatience; a signal ends that with program.ErrInterrupted. The disk tells of an
// attempt that takes long.
func OnceUnlocked(ctx context.Context, dir string, disk *process.DiskGuard, open func() error) error {
	err := attempt(disk, open)
	if !damage.IsLocked(err) {
		return err
	}
	log.Warn("Data directory in use by another process, waiting", "dir", dir, "atMost", lockPatience)
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	return retryLocked(ctx, disk, open, err)
}

func attempt(disk *process.DiskGuard, open func() error) error {
	defer disk.TellSlow()()
	return open()
}

// retryLocked is OnceUnlocked after the first attempt, which failed with err.
func retryLocked(ctx context.Context, disk *process.DiskGuard, open func() error, err error) error {
	interval, patience := time.NewTicker(lockInterval), time.NewTimer(lockPatience)
	defer interval.Stop()
	defer patience.Stop()
	for damage.IsLocked(err) {
		select {
		case <-ctx.Done():
			return program.ErrInterrupted
		case <-patience.C:
			return err
		case <-interval.C:
			err = attempt(disk, open)
		}
	}
	return err
}
