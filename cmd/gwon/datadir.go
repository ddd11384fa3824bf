// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/ethereum/go-ethereum/log"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/program"
)

const (
	lockPatience = 10 * time.Second       // with the process that had the data directory before, and was killed
	lockInterval = 500 * time.Millisecond // between two attempts
)

// onceUnlocked opens the data directory dir by open. While another process has it, as one does that was killed just now, it
// tries again for up to lockPatience; a signal ends that with program.ErrInterrupted.
func onceUnlocked(ctx context.Context, dir string, open func() error) error {
	err := open()
	if !isLocked(err) {
		return err
	}
	log.Warn("Data directory in use by another process, waiting", "dir", dir, "atMost", lockPatience)
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	return retryLocked(ctx, open, err)
}

// retryLocked is onceUnlocked after the first attempt, which failed with err.
func retryLocked(ctx context.Context, open func() error, err error) error {
	interval, patience := time.NewTicker(lockInterval), time.NewTimer(lockPatience)
	defer interval.Stop()
	defer patience.Stop()
	for isLocked(err) {
		select {
		case <-ctx.Done():
			return program.ErrInterrupted
		case <-patience.C:
			return err
		case <-interval.C:
			err = open()
		}
	}
	return err
}

// defaultDataDir returns the data directory of this client, which is not that of any Ethereum node (spec rpc 11 no. 29).
// It is empty when the system names no home directory.
func defaultDataDir() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	switch runtime.GOOS {
	case "darwin":
		return filepath.Join(home, "Library", "Gwon")
	case "windows":
		if local := os.Getenv("LOCALAPPDATA"); local != "" {
			return filepath.Join(local, "Gwon")
		}
		return filepath.Join(home, "AppData", "Local", "Gwon")
	default:
		return filepath.Join(home, ".gwon")
	}
}

// directoryConfig is loadConfig as far as the data directory, for commands that start nothing.
func directoryConfig(ctx *cli.Context) (*config, error) {
	if err := checkNetworkFlags(ctx); err != nil {
		return nil, err
	}
	cfg := defaultConfig()
	if path := ctx.Path(configFlag.Name); path != "" {
		if err := readConfig(program.ExpandHome(path), &cfg); err != nil {
			return nil, err
		}
	}
	switch {
	case ctx.IsSet(dataDirFlag.Name):
		cfg.Node.DataDir = ctx.Path(dataDirFlag.Name)
	case ctx.Bool(testnetFlag.Name) && cfg.Node.DataDir != "" && cfg.Node.DataDir == defaultDataDir():
		cfg.Node.DataDir = filepath.Join(cfg.Node.DataDir, "testnet")
	}
	if cfg.Node.DataDir == "" {
		return nil, errors.New("no data directory: give --datadir")
	}
	dir, err := filepath.Abs(program.ExpandHome(cfg.Node.DataDir))
	if err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	cfg.Node.DataDir = dir
	return &cfg, nil
}
