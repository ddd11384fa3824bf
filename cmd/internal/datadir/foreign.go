// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package datadir

import (
	"fmt"
	"path/filepath"

	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/internal/shellword"
	"gwon/operator/adopt"
)

// checkForeign refuses a data directory with a chain of go-stablenet and none of gwon, and an ancient store that
// go-stablenet has written: opening it would be enough to make it unreadable for that program.
func checkForeign(cfg *settings.Config, chainPath string) error {
	dir := cfg.Node.DataDir
	if adopt.HasOld(dir) && !IsDir(filepath.Join(dir, program.Name)) {
		return fmt.Errorf("%s has a chain of go-stablenet, in %s, and none of gwon: take it over with: gwon %s --%s "+
			"%s %[5]s (or start gwon with --%[3]s), or give another --%[4]s", dir, adopt.Instance, settings.AdoptFlag.Name,
			settings.DataDirFlag.Name, shellword.Quote(dir))
	}
	if adopt.IsCutShort(dir, program.Name) {
		return fmt.Errorf("a gwon %s into %s was cut short: give the same command again, or give another --%s",
			settings.AdoptFlag.Name, dir, settings.DataDirFlag.Name)
	}
	ancient := cfg.Eth.DatabaseFreezer
	switch {
	case ancient == "":
		ancient = filepath.Join(chainPath, "ancient")
	case !filepath.IsAbs(ancient):
		ancient = cfg.Node.ResolvePath(ancient)
	}
	if adopt.HasForeignTables(ancient) {
		return foreignError(dir)
	}
	return nil
}

// foreignError refuses a chain database that go-stablenet has written.
func foreignError(dir string) error {
	return fmt.Errorf("go-stablenet has written the chain database in %s, and gwon would damage it: take it over into "+
		"another data directory with: gwon %s --%s DIR %s", dir, settings.AdoptFlag.Name, settings.DataDirFlag.Name,
		shellword.Quote(filepath.Join(dir, program.Name)))
}
