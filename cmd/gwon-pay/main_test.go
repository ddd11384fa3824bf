// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"io"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/apptest"
	"gwon/tools/reference/page"
)

func run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	return apptest.Run(t, newApp(), args...)
}

// The help of no command names another product, or a fork of another chain, and every group refuses a word that is none
// of its commands.
func TestCommands(t *testing.T) {
	apptest.CheckHelp(t, newApp)
	for _, row := range []struct{ call, want string }{
		{"sponsor nosuch", `there is no command "nosuch" of gwon-pay sponsor; see gwon-pay sponsor --help`},
		{"notify chek", `there is no command "chek" of gwon-pay notify; did you mean check?`},
		{"sponsor --nosuch", "see gwon-pay sponsor --help"},
	} {
		if _, err := run(t, strings.Fields(row.call)...); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want %s", row.call, err, row.want)
		}
	}
}

// pages are the generated pages of this program.
var pages = map[string]apptest.Page{
	"gwon-pay.md": func(w io.Writer, app *cli.App) error { return page.Commands(w, app, nil) },
}

// TestMain runs the tests, or the program for a test that needs a process of its own.
func TestMain(m *testing.M) { apptest.Main(m, main, newApp, pages) }

// The generated pages are those of this program.
func TestReferenceIsCurrent(t *testing.T) { apptest.CheckReference(t, pages) }
