// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package apptest

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
)

// RunMain is an environment variable that makes a test binary the program itself.
const RunMain = "GWON_TEST_RUN_MAIN"

// Main runs the tests of a program, or the program for a test that needs a process of its own. It is called by
// TestMain.
func Main(m *testing.M, main func()) {
	if os.Getenv(RunMain) != "" {
		main()
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

// CheckReference fails the test where a generated page of docs/reference is not what the program prints now. The map
// has the arguments of the command reference by the name of the page. The test binary has to call Main.
func CheckReference(t *testing.T, pages map[string][]string) {
	t.Helper()
	for file, args := range pages {
		t.Run(file, func(t *testing.T) {
			stored, err := os.ReadFile(filepath.Join("..", "..", "docs", "reference", file))
			if err != nil {
				t.Fatal(err)
			}
			// flags keep values from other tests of this process
			command := exec.Command(os.Args[0], append([]string{"reference"}, args...)...)
			command.Env = append(os.Environ(), RunMain+"=1")
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
