// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/urfave/cli/v2"
)

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

// expandHome replaces a leading ~ by the home directory, which a shell does not do in --datadir=~/x.
func expandHome(path string) string {
	if path != "~" && !strings.HasPrefix(path, "~/") {
		return path
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return path
	}
	return filepath.Join(home, strings.TrimPrefix(path, "~"))
}

// directoryConfig is loadConfig as far as the data directory, for commands that start nothing.
func directoryConfig(ctx *cli.Context) (*config, error) {
	if err := checkNetworkFlags(ctx); err != nil {
		return nil, err
	}
	cfg := defaultConfig()
	if path := ctx.Path(configFlag.Name); path != "" {
		if err := readConfig(expandHome(path), &cfg); err != nil {
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
	dir, err := filepath.Abs(expandHome(cfg.Node.DataDir))
	if err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	cfg.Node.DataDir = dir
	return &cfg, nil
}
