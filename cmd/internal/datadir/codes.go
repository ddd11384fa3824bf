// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package datadir

import (
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/settings"
	"gwon/core"
	"gwon/params"
)

// ContractsVersionFlag chooses the system contracts of a new development network.
var ContractsVersionFlag = &cli.StringFlag{
	Name: "contracts",
	Usage: "Version of the system contracts: " + params.G1 + ", gwon's own, or " + params.V1 + ", of the public " +
		"networks, whose code has to be in the default data directory (gwon contracts import)",
	Value: params.G1,
}

// WithImportHint completes an error about missing code by the command that supplies it.
func WithImportHint(err error, dataDir string) error {
	if !errors.Is(err, core.ErrMissingCode) {
		return err
	}
	return fmt.Errorf("%w with: gwon contracts import --%s %q FILE", err, settings.DataDirFlag.Name, dataDir)
}

// CodeNames names contracts with their versions.
func CodeNames(list []core.MissingCode) string {
	names := make([]string, len(list))
	for i, m := range list {
		names[i] = m.Contract + " " + m.Version
	}
	return strings.Join(names, ", ")
}
