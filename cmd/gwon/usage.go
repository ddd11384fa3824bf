// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
	"github.com/xrash/smetrics"
)

// undefinedFlag begins the flag package's error for a flag that does not exist.
const undefinedFlag = "flag provided but not defined: -"

// shortUsageError answers a wrong flag with one sentence instead of several pages of help.
func shortUsageError(ctx *cli.Context, err error, _ bool) error {
	hint := ""
	if wrong, found := strings.CutPrefix(err.Error(), undefinedFlag); found {
		var names []string
		for _, f := range commandFlags(ctx) {
			if visible, ok := f.(cli.VisibleFlag); ok && !visible.IsVisible() {
				continue
			}
			names = append(names, f.Names()...)
		}
		hint = didYouMean("--", strings.TrimPrefix(wrong, "-"), names)
	}
	return fmt.Errorf("%w;%s see %s --help", err, hint, commandPath(ctx))
}

// noSuchCommand answers an argument where a command or nothing should stand.
func noSuchCommand(ctx *cli.Context) error {
	wrong := ctx.Args().First()
	var names []string
	for _, c := range subcommands(ctx) {
		if !c.Hidden && c.Name != "help" { // the library gives every command one
			names = append(names, c.Names()...)
		}
	}
	path := commandPath(ctx)
	if len(names) == 0 {
		return fmt.Errorf("%s takes no arguments, %q was given; see %s --help", path, wrong, path)
	}
	of := ""
	if path != clientName {
		of = " of " + path
	}
	return fmt.Errorf("there is no command %q%s;%s see %s --help", wrong, of, didYouMean("", wrong, names), path)
}

func isRoot(ctx *cli.Context) bool { return ctx.Command == nil || ctx.Command.Name == ctx.App.Name }

// commandPath returns the words that start the command of a context, such as "gwon devnet stop".
func commandPath(ctx *cli.Context) string {
	if isRoot(ctx) || ctx.Command.HelpName == "" {
		return clientName
	}
	// The library writes a command's path anew with each run of an application; tests run several.
	words := strings.Fields(ctx.Command.HelpName)
	for len(words) > 1 && words[1] == clientName {
		words = words[1:]
	}
	return strings.Join(words, " ")
}

func commandFlags(ctx *cli.Context) []cli.Flag {
	if isRoot(ctx) {
		return ctx.App.Flags
	}
	return ctx.Command.Flags
}

func subcommands(ctx *cli.Context) []*cli.Command {
	if isRoot(ctx) {
		return ctx.App.Commands
	}
	return ctx.Command.Subcommands
}

// didYouMean returns a question with the name that is most like the wrong one, or nothing when none is.
func didYouMean(prefix, wrong string, names []string) string {
	const alike = 0.85 // of 1
	like := func(name string) float64 { return smetrics.JaroWinkler(name, wrong, 0.7, 4) }
	names = slices.DeleteFunc(names, func(name string) bool { return len(name) < 2 || like(name) < alike })
	if len(names) == 0 {
		return ""
	}
	best := slices.MaxFunc(names, func(a, b string) int {
		switch x, y := like(a), like(b); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return strings.Compare(b, a)
	})
	return fmt.Sprintf(" did you mean %s%s?", prefix, best)
}
