// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package apptest

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/program"
)

// Run runs a program, without its set-up of log and terminal, and returns its standard output.
func Run(t *testing.T, app *cli.App, args ...string) (string, error) {
	t.Helper()
	out, _, err := RunApart(t, app, args...)
	return out, err
}

// RunApart is Run with standard error.
func RunApart(t *testing.T, app *cli.App, args ...string) (out, says string, err error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	err = run(app, &stdout, &stderr, args)
	return stdout.String(), stderr.String(), err
}

// RunWith is Run with standard input. It returns standard output and standard error in one.
func RunWith(t *testing.T, app *cli.App, stdin string, args ...string) (string, error) {
	t.Helper()
	out := new(bytes.Buffer)
	app.Reader = strings.NewReader(stdin)
	err := run(app, out, out, args)
	return out.String(), err
}

// RunWithFlags runs action in place of that of a program with the flags args, in a data directory of its own.
func RunWithFlags(t *testing.T, app *cli.App, action cli.ActionFunc, args ...string) error {
	t.Helper()
	app.Action = action
	return run(app, io.Discard, io.Discard, append([]string{"--datadir", t.TempDir()}, args...))
}

func run(app *cli.App, out, says io.Writer, args []string) error {
	app.Writer, app.ErrWriter, app.Before, app.After = out, says, nil, nil
	return app.Run(append([]string{program.Name}, args...))
}

// WriteFile makes a file with its directories and returns its path.
func WriteFile[T string | []byte](t *testing.T, path string, content T) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TempFile is WriteFile in a directory of its own.
func TempFile[T string | []byte](t *testing.T, content T) string {
	t.Helper()
	return WriteFile(t, filepath.Join(t.TempDir(), "file"), content)
}
