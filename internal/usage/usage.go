// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package usage answers calls that a program does not understand with one sentence, in the same way in all programs.
package usage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// undefinedFlag begins the flag package's error for a flag that does not exist.
const undefinedFlag = "flag provided but not defined: -"

// elsewhere has what to run instead of commands of go-ethereum and go-stablenet (docs/compatibility.md).
var elsewhere = map[string]string{
	"dump":                  `gwon attach --exec "debug.dumpBlock('latest')"`,
	"js":                    `gwon attach --exec "loadScript('FILE')"`,
	"show-deprecated-flags": "gwon --help-all",
	"version-check":         "gwon version",
	"wallet":                "gwon account import",
}

// WrongFlag answers a wrong flag with one sentence instead of several pages of help.
func WrongFlag(ctx *cli.Context, err error, _ bool) error {
	hint := ""
	for _, f := range ctx.Command.Flags {
		if !strings.HasSuffix(err.Error(), "for flag -"+f.Names()[0]+": parse error") {
			continue
		}
		switch f.(type) {
		case *cli.DurationFlag:
			hint = ` give a number and a unit, such as "10s";`
		case *cli.IntFlag, *cli.Int64Flag, *cli.UintFlag, *cli.Uint64Flag:
			hint = " give a whole number;"
		}
	}
	if wrong, found := strings.CutPrefix(err.Error(), undefinedFlag); found {
		shown := slices.DeleteFunc(slices.Clone(ctx.Command.Flags), func(f cli.Flag) bool {
			visible, ok := f.(cli.VisibleFlag)
			return ok && !visible.IsVisible()
		})
		hint = " did you mean " + cli.SuggestFlag(shown, strings.TrimPrefix(wrong, "-"), false) + "?"
	}
	return fmt.Errorf("%w;%s see %s --help", err, hint, CommandPath(ctx))
}

// NoSuchCommand answers an argument where a command or nothing should stand.
func NoSuchCommand(ctx *cli.Context) error {
	wrong := ctx.Args().First()
	shown := slices.DeleteFunc(slices.Clone(ctx.Command.Subcommands), func(c *cli.Command) bool {
		return c.Hidden || c.Name == "help" // the library gives every command one
	})
	path := CommandPath(ctx)
	if len(shown) == 0 {
		return fmt.Errorf("%s takes no arguments, %q was given; see %s --help", path, wrong, path)
	}
	if instead := elsewhere[wrong]; instead != "" && path == "gwon" {
		return fmt.Errorf("there is no command %q: run %s", wrong, instead)
	}
	of := ""
	if path != ctx.App.Name {
		of = " of " + path
	}
	return fmt.Errorf("there is no command %q%s; %s see %s --help", wrong, of, similar(ctx, shown, wrong), path)
}

// similar names the command that a misspelled one is like: one of those in its place, or that of another place by its
// whole path, if it is more like that.
func similar(ctx *cli.Context, shown []*cli.Command, wrong string) string {
	all, paths := slices.Clone(shown), make(map[string]string)
	for _, c := range shown {
		paths[c.Name] = c.Name
	}
	var add func(path string, commands []*cli.Command)
	add = func(path string, commands []*cli.Command) {
		for _, c := range commands {
			if c.Hidden || c.Name == "help" {
				continue
			}
			place := path + " " + c.Name
			if paths[c.Name] == "" {
				all, paths[c.Name] = append(all, c), place
			}
			add(place, c.Subcommands)
		}
	}
	add(ctx.App.Name, ctx.App.Commands)
	suggestion := cli.SuggestCommand(all, wrong)
	for name, path := range paths { // the library does not say which one it names
		if suggestion == fmt.Sprintf(cli.SuggestDidYouMeanTemplate, name) {
			return fmt.Sprintf(cli.SuggestDidYouMeanTemplate, path)
		}
	}
	return suggestion
}

// CommandPath returns the words that start the command of a context, such as "gwon-dev devnet stop".
func CommandPath(ctx *cli.Context) string { return ctx.Command.HelpName }

// Brief makes the commands answer what they do not understand with one sentence.
func Brief(commands []*cli.Command) {
	for _, c := range commands {
		c.OnUsageError = WrongFlag
		action := c.Action
		if action == nil {
			action = cli.ShowSubcommandHelp // of a command that only has others below it
		}
		c.Action = func(ctx *cli.Context) error {
			if len(c.Subcommands) > 0 && c.ArgsUsage == "" && ctx.NArg() > 0 {
				return NoSuchCommand(ctx) // whose flags may well stand in their place
			}
			if err := flagsBehindArguments(ctx); err != nil && !c.SkipFlagParsing {
				return err
			}
			if c.ArgsUsage == "" && ctx.NArg() > 0 {
				return NoSuchCommand(ctx)
			}
			return action(ctx)
		}
		Brief(c.Subcommands)
	}
}

// flagsBehindArguments reports flags that stand behind the first argument: they would be taken for arguments, and
// silently have no effect.
func flagsBehindArguments(ctx *cli.Context) error {
	args := ctx.Args().Slice()
	first := slices.IndexFunc(args, func(arg string) bool { return len(arg) > 1 && arg[0] == '-' })
	if first < 1 {
		return nil
	}
	return fmt.Errorf("flags stand before the arguments: %s %s %s", CommandPath(ctx), strings.Join(args[first:], " "),
		strings.Join(args[:first], " "))
}
