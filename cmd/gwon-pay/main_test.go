// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"path/filepath"
	"strings"
	"testing"

	"gwon/cmd/internal/apptest"
	"gwon/internal/expect"
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
		{"sponsor nosuch", `there is no command "nosuch" of gwon-pay sponsor; did you mean `},
		{"sponsr", `there is no command "sponsr"; did you mean sponsor? see gwon-pay --help`},
		{"help sponsr", "'sponsr'. did you mean sponsor?"},
		{"notify chek", `there is no command "chek" of gwon-pay notify; did you mean check?`},
		{"sponsor --nosuch", "see gwon-pay sponsor --help"},
	} {
		expect.Says(t, expect.Err(run(t, strings.Fields(row.call)...)), row.want, "%s", row.call)
	}
}

// TestMain runs the tests, or the program for a test that needs a process of its own.
func TestMain(m *testing.M) { apptest.Main(m, main, newApp, nil) }

// No text of a command shows more of an endpoint than scheme and host.
func TestEndpointsAreHidden(t *testing.T) {
	directory := t.TempDir()
	apptest.WriteFile(t, filepath.Join(directory, "secret"), strings.Repeat("0", 32))
	file := filepath.Join(directory, "notify.toml")
	apptest.WriteFile(t, file, `node = "http://127.0.0.1:1"
state = "state"
[[webhook]]
label = "shop"
url = "http://carol:hunter22@127.0.0.1:1/PATHKEY?token=QUERYKEY"
secret_file = "secret"
addresses = ["0x70997970C51812dc3A010C7d01b50e0d17dc79C8"]
`)
	out, err := apptest.Run(t, newApp(), "notify", "check", file)
	expect.That(t, err == nil && strings.Contains(out, "http://127.0.0.1:1\n") && !strings.Contains(out, "KEY"),
		"%s, %v", out, err)
}
