// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package program

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// DefaultDataDir returns the data directory of this client, which is not that of any Ethereum node
// (spec rpc 11 no. 29). It is empty when the system names no home directory.
func DefaultDataDir() string {
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

// RefuseExisting is the rule of all commands that write a file which the user names: none replaces one.
func RefuseExisting(file string) error {
	if _, err := os.Lstat(file); err == nil {
		return fmt.Errorf("%s exists already: name a new file", file)
	}
	return nil
}
