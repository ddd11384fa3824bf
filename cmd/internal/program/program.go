// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package program

import (
	"os"
	"path/filepath"
	"strings"
)

// Name is the instance directory below the data directory, the stem of the IPC endpoint and the name peers see.
const Name = "gwon"

// ExpandHome replaces a leading ~ by the home directory, which a shell does not do in --datadir=~/x.
func ExpandHome(path string) string {
	if path != "~" && !strings.HasPrefix(path, "~/") {
		return path
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return path
	}
	return filepath.Join(home, strings.TrimPrefix(path, "~"))
}
