// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package settings

import (
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/apptest"
)

func run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	return apptest.Run(t, NewApp([]*cli.Command{DumpConfigCommand}), args...)
}

// withFlags runs f in the context of a node that was started with args.
func withFlags(t *testing.T, f cli.ActionFunc, args ...string) error {
	t.Helper()
	return apptest.RunWithFlags(t, NewApp(nil), f, args...)
}

// The help of a flag does not name two defaults.
func TestOneDefault(t *testing.T) {
	for _, f := range NewApp(nil).Flags {
		d, ok := f.(cli.DocGenerationFlag)
		if !ok || !d.TakesValue() || !strings.Contains(d.GetUsage(), "default =") {
			continue
		}
		if text := d.GetDefaultText(); text == "0" {
			t.Errorf("--%s has the default %s, and %q", f.Names()[0], text, d.GetUsage())
		}
	}
}
