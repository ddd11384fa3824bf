// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package keys

import (
	"testing"

	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/apptest"
	"gwon/cmd/internal/settings"
)

func run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	return apptest.Run(t, settings.NewApp([]*cli.Command{AccountCommand}), args...)
}
