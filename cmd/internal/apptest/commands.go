// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package apptest

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// RunMain is an environment variable that makes a test binary the program itself.
const RunMain = "GWON_TEST_RUN_MAIN"

// printPage is an environment variable that makes a test binary print a page of the reference.
const printPage = "GWON_TEST_PRINT_PAGE"

// WritePages is an environment variable that makes CheckReference write the pages.
const WritePages = "GWON_TEST_WRITE_PAGES"

// Page writes a generated page of docs/reference.
type Page = func(w io.Writer, app *cli.App) error

// Main runs the tests of a program, or the program for a test that needs a process of its own, or prints one of its
// pages. It is called by TestMain.
func Main(m *testing.M, main func(), newApp func() *cli.App, pages map[string]Page) {
	if os.Getenv(RunMain) != "" {
		main()
		return
	}
	if page := pages[os.Getenv(printPage)]; page != nil {
		app := newApp()
		app.Setup() // adds what every program has
		if err := page(os.Stdout, app); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// foreign matches the names of other products, and of forks of other chains.
var foreign = regexp.MustCompile(`(?i)\bgeth\b|ethereum|beacon|engine api|clique|sepolia|holesky|\bmerge`)

// CheckHelp fails the test where the help of a command is missing or names another product. Commands that only name
// another program have none.
func CheckHelp(t *testing.T, newApp func() *cli.App) {
	t.Helper()
	var look func(path []string, commands []*cli.Command)
	look = func(path []string, commands []*cli.Command) {
		help, err := Run(t, newApp(), append(path, "--help")...)
		if err != nil || help == "" {
			t.Errorf("%v: %q, %v", path, help, err)
		}
		for line := range strings.Lines(help) {
			if foreign.MatchString(line) {
				t.Errorf("%v: %s", path, line)
			}
		}
		for _, c := range commands {
			if c.Name != "help" && !c.SkipFlagParsing {
				look(append(slices.Clone(path), c.Name), c.Subcommands)
			}
		}
	}
	look(nil, newApp().Commands)
}

// CheckReference fails the test where a generated page of docs/reference is not that of the program now. The test
// binary has to call Main with the same pages.
func CheckReference(t *testing.T, pages map[string]Page) {
	t.Helper()
	for file := range pages {
		t.Run(file, func(t *testing.T) {
			path := filepath.Join("..", "..", "docs", "reference", file)
			stored, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			// flags keep values from other tests of this process
			command := exec.Command(os.Args[0])
			command.Env = append(os.Environ(), printPage+"="+file)
			var told bytes.Buffer
			command.Stderr = &told
			current, err := command.Output()
			if err != nil {
				t.Fatalf("%v: %s", err, told.String())
			}
			if os.Getenv(WritePages) != "" {
				if err := os.WriteFile(path, current, 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if !bytes.Equal(stored, current) {
				t.Errorf("docs/reference/%s is stale: run go run ./tools/reference", file)
			}
		})
	}
}
