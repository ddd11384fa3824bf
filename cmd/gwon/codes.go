// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/contracts/store"
	"gwon/core"
)

// storedCode returns the contract code in the default data directories.
func storedCode() (core.CodeSource, error) {
	var source core.CodeSource
	if dir := settings.DefaultDataDir(); dir != "" {
		for _, d := range []string{dir, filepath.Join(dir, "testnet")} {
			store, err := store.Open(filepath.Join(d, program.Name, "contracts"))
			if err != nil {
				return nil, err
			}
			source = source.Or(store.Source())
		}
	}
	return source.Or(nil), nil
}

// withImportHint completes an error about missing code by the command that supplies it.
func withImportHint(err error, dataDir string) error {
	if !errors.Is(err, core.ErrMissingCode) {
		return err
	}
	return fmt.Errorf("%w with: gwon contracts import --%s %q FILE", err, settings.DataDirFlag.Name, dataDir)
}

func codeNames(list []core.MissingCode) string {
	names := make([]string, len(list))
	for i, m := range list {
		names[i] = m.Contract + " " + m.Version
	}
	return strings.Join(names, ", ")
}
