// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package validator

import (
	"testing"

	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/apptest"
	"gwon/cmd/internal/settings"
)

func newApp() *cli.App {
	return settings.NewApp([]*cli.Command{BackupCommand, EvidenceCommand, RestoreCommand, Command})
}

func run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	return apptest.Run(t, newApp(), args...)
}

func runApp(t *testing.T, stdin string, args ...string) (string, error) {
	t.Helper()
	return apptest.RunWith(t, newApp(), stdin, args...)
}

func runAppApart(t *testing.T, args ...string) (out, says string, err error) {
	t.Helper()
	return apptest.RunApart(t, newApp(), args...)
}
