// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
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
