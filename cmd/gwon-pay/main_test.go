// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/apptest"
)

func run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	return apptest.Run(t, newApp(), args...)
}

// The help of no command names another product, or a fork of another chain, and every group refuses a word that is none
// of its commands.
func TestCommands(t *testing.T) {
	foreign := regexp.MustCompile(`(?i)\bgeth\b|ethereum|beacon|engine api|clique|sepolia|holesky|\bmerge`)
	var look func(path []string, commands []*cli.Command)
	look = func(path []string, commands []*cli.Command) {
		help, err := run(t, append(path, "--help")...)
		if err != nil || help == "" {
			t.Errorf("%v: %q, %v", path, help, err)
		}
		for line := range strings.Lines(help) {
			if foreign.MatchString(line) {
				t.Errorf("%v: %s", path, line)
			}
		}
		for _, c := range commands {
			if c.Name != "help" {
				look(append(slices.Clone(path), c.Name), c.Subcommands)
			}
		}
	}
	look(nil, newApp().Commands)
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

// runMain is an environment variable that makes the test binary the program itself.
const runMain = "GWON_TEST_RUN_MAIN"

// TestMain runs the tests, or the program for a test that needs a process of its own.
func TestMain(m *testing.M) {
	if os.Getenv(runMain) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// The generated pages are those of this program.
func TestReferenceIsCurrent(t *testing.T) {
	for file, args := range map[string][]string{
		"gwon-pay.md": {"commands"},
	} {
		t.Run(file, func(t *testing.T) {
			stored, err := os.ReadFile(filepath.Join("..", "..", "docs", "reference", file))
			if err != nil {
				t.Fatal(err)
			}
			// flags keep values from other tests of this process
			command := exec.Command(os.Args[0], append([]string{"reference"}, args...)...)
			command.Env = append(os.Environ(), runMain+"=1")
			var told bytes.Buffer
			command.Stderr = &told
			current, err := command.Output()
			if err != nil {
				t.Fatalf("%v: %s", err, told.String())
			}
			if !bytes.Equal(stored, current) {
				t.Errorf("docs/reference/%s is stale: run go run ./tools/reference", file)
			}
		})
	}
}
