// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package apptest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
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

// CheckHelp fails the test where a help page of a program is missing, names another product, is no table of two
// screens, or lacks a flag that --help-all does not show, or an example that the command understands. The page of the
// program begins with its commands. Commands that only name another program have none.
func CheckHelp(t *testing.T, newApp func() *cli.App) {
	t.Helper()
	front, err := Run(t, newApp(), "--help")
	commands, flags := strings.Index(front, "COMMANDS:"), strings.Index(front, "OPTIONS:")
	if err != nil || commands < 0 || flags < commands || strings.Contains(front, "pprof") {
		t.Errorf("%v: the page does not begin with the commands, or has rare flags:\n%s", err, front)
	}
	if all, err := Run(t, newApp(), "--help-all"); err != nil || !strings.Contains(all, "--pprof") {
		t.Errorf("--help-all: %q, %v", all, err)
	}
	checkCommands(t, newApp, nil, newApp().Commands)
	CheckPages(t, newApp())
}

// CheckPages fails the test where a sentence of a page in docs names a command or flag that a program does not have.
func CheckPages(t *testing.T, app *cli.App) {
	t.Helper()
	app.Setup()
	inline, found := regexp.MustCompile("`"+app.Name+` ([^`+"`]+)`"), 0
	look := func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".md" || former.MatchString(path) {
			return err
		}
		page, err := os.ReadFile(path)
		for _, m := range inline.FindAllSubmatch(fenced.ReplaceAll(page, nil), -1) {
			found++
			if unknown := unknownWord(app, strings.Fields(string(m[1]))); unknown != "" {
				t.Errorf("%s: %s does not know %s of %s", path, app.Name, unknown, m[0])
			}
		}
		return err
	}
	root := filepath.Join("..", "..")
	err := errors.Join(
		filepath.WalkDir(filepath.Join(root, "docs"), look), filepath.WalkDir(filepath.Join(root, "README.md"), look),
	)
	if err != nil || found < 3 {
		t.Errorf("%d commands on pages, %v", found, err)
	}
}

var (
	former = regexp.MustCompile("/adr/|moving-from-") // name what programs had
	fenced = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	aWord  = regexp.MustCompile("^[a-z][a-z-]*$")
	aFlag  = regexp.MustCompile("^--?([a-z][a-z.-]*)")
)

// unknownWord returns the first word of a call that is neither a command in its place nor a flag of one, if any.
func unknownWord(app *cli.App, call []string) string {
	commands, flags := app.Commands, slices.Clone(app.Flags)
	for _, word := range call {
		if m := aFlag.FindStringSubmatch(word); m != nil {
			if !slices.ContainsFunc(flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), m[1]) }) {
				return word
			}
			commands = nil // its value comes next, or an argument
			continue
		}
		i := slices.IndexFunc(commands, func(c *cli.Command) bool { return c.HasName(word) })
		if i < 0 && len(commands) > 0 && aWord.MatchString(word) {
			return word
		} else if i >= 0 {
			flags = append(flags, commands[i].Flags...)
			commands = commands[i].Subcommands
		} else {
			commands = nil
		}
	}
	return ""
}

func checkCommands(t *testing.T, newApp func() *cli.App, path []string, commands []*cli.Command) {
	t.Helper()
	for _, c := range commands {
		if c.Name == "help" || c.SkipFlagParsing {
			continue
		}
		words := append(slices.Clone(path), c.Name)
		t.Run(strings.Join(words, " "), func(t *testing.T) { checkPage(t, newApp, words, c) })
		checkCommands(t, newApp, words, c.Subcommands)
	}
}

func checkPage(t *testing.T, newApp func() *cli.App, words []string, c *cli.Command) {
	t.Helper()
	help, err := Run(t, newApp(), append(words, "--help")...)
	if err != nil || help == "" || strings.Count(help, "\n") > 100 || strings.Contains(help, "\n\n\n") {
		t.Fatalf("%d lines, error %v:\n%s", strings.Count(help, "\n"), err, help)
	}
	call := newApp().Name + " " + strings.Join(words, " ")
	for line := range strings.Lines(help) {
		line = strings.TrimSuffix(line, "\n")
		wide := len(line) > 80 && len(strings.Fields(line)) > 1 && !strings.Contains(line, call)
		if foreign.MatchString(line) || wide || line != strings.TrimRight(line, " \t") {
			t.Errorf("line %q names another product, ends with blanks or is wide", line)
		}
	}
	all := help
	if strings.Contains(help, "--help-all") {
		if all, err = Run(t, newApp(), append(words, "--help-all")...); err != nil {
			t.Fatal(err)
		}
	}
	known := []string{"help", "h"}
	for _, f := range c.Flags {
		known = append(known, f.Names()...)
		if v, ok := f.(cli.VisibleFlag); ok && v.IsVisible() && !strings.Contains(all, "\n   --"+f.Names()[0]) {
			t.Errorf("--%s is missing:\n%s", f.Names()[0], all)
		}
	}
	_, example, found := strings.Cut(help, "\nEXAMPLE:\n   ")
	example, _, _ = strings.Cut(example, "\n")
	if c.Hidden || len(c.Subcommands) > 0 { // its example may be one of a command below it
		return
	}
	if !found || example != call && !strings.HasPrefix(example, call+" ") {
		t.Errorf("the example is %q", example)
	}
	for _, word := range strings.Fields(example) {
		name, isFlag := strings.CutPrefix(word, "--")
		if isFlag && !slices.Contains(known, name) {
			t.Errorf("the example %q has the flag %s, which the command does not know", example, word)
		}
	}
	checkExample(t, newApp(), words, example)
}

var (
	optional = regexp.MustCompile(`\[[^]]*\]`)
	required = regexp.MustCompile(`<[^>]*>|[A-Z|]+`)
	quoted   = regexp.MustCompile(`"[^"]*"`)
)

// checkExample fails the test where the flags of an example cannot be read, or arguments are missing.
func checkExample(t *testing.T, app *cli.App, words []string, example string) {
	t.Helper()
	var c *cli.Command
	for commands, i := app.Commands, 0; i < len(words); i++ {
		c = commands[slices.IndexFunc(commands, func(c *cli.Command) bool { return c.Name == words[i] })]
		commands = c.Subcommands
	}
	action, given := c.Action, -1
	c.Action = func(ctx *cli.Context) error {
		given = ctx.NArg()
		return nil
	}
	defer func() { c.Action = action }()
	args := strings.Fields(quoted.ReplaceAllString(example, "text"))[1:]
	_, err := Run(t, app, args...)
	least := len(required.FindAllString(optional.ReplaceAllString(c.ArgsUsage, ""), -1))
	if err != nil || given < least {
		t.Errorf("the example %q has %d arguments, %q are wanted: %v", example, given, c.ArgsUsage, err)
	}
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
