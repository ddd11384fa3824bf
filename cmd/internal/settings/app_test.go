// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package settings

import (
	"bytes"
	"testing"

	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/program"
)

// run runs a command and returns what it prints.
func run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	app, out := NewApp([]*cli.Command{DumpConfigCommand}), new(bytes.Buffer)
	app.Writer = out
	err := app.Run(append([]string{program.Name}, args...))
	return out.String(), err
}

// withFlags runs f in the context of a node that was started with args, in a home directory of its own.
func withFlags(t *testing.T, f func(*cli.Context) error, args ...string) error {
	t.Helper()
	app := NewApp(nil)
	app.Writer, app.Action = new(bytes.Buffer), f
	return app.Run(append([]string{program.Name, "--datadir", t.TempDir()}, args...))
}
