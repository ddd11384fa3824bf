// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

// Package usage answers calls that a program does not understand with one sentence, in the same way in all programs.
package usage

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"gwon/internal/shellword"
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
	wrong, found := strings.CutPrefix(err.Error(), undefinedFlag)
	switch {
	case found && isNumber("-"+wrong):
		return fmt.Errorf("-%s is no flag, and a number below zero is no value here; see %s --help", wrong, CommandPath(ctx))
	case found:
		shown := slices.DeleteFunc(slices.Clone(ctx.Command.Flags), func(f cli.Flag) bool {
			visible, ok := f.(cli.VisibleFlag)
			return ok && !visible.IsVisible()
		})
		if like := cli.SuggestFlag(shown, strings.TrimPrefix(wrong, "-"), false); like != "" {
			hint = " did you mean " + like + "?"
		}
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
	like := similar(ctx, shown, wrong)
	if like != "" {
		like += " "
	}
	return fmt.Errorf("there is no command %q%s; %ssee %s --help", wrong, of, like, path)
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
		action, required := c.Action, takeRequired(c)
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
			if missing := slices.DeleteFunc(slices.Clone(required), ctx.IsSet); len(missing) > 0 {
				return fmt.Errorf("give --%s; see %s --help", strings.Join(missing, " and --"), CommandPath(ctx))
			}
			return action(ctx)
		}
		Brief(c.Subcommands)
	}
}

// takeRequired has the library look for no required flags of a command, and returns their names: it would print the
// whole help page, and not say that they stand behind an argument.
func takeRequired(c *cli.Command) (names []string) {
	c.Flags = slices.Clone(c.Flags) // programs share them
	for i, f := range c.Flags {
		if required, ok := f.(cli.RequiredFlag); !ok || !required.IsRequired() {
			continue
		}
		optional := reflect.New(reflect.TypeOf(f).Elem())
		optional.Elem().Set(reflect.ValueOf(f).Elem())
		optional.Elem().FieldByName("Required").SetBool(false)
		c.Flags[i], names = optional.Interface().(cli.Flag), append(names, f.Names()[0])
	}
	return names
}

// isFlag reports whether a word is a flag. Nothing is one whose name is a number: that is a wrong value.
func isFlag(word string) bool { return len(word) > 1 && word[0] == '-' && !isNumber(word) }

func isNumber(word string) bool {
	return len(word) > 1 && word[0] == '-' && word[1] >= '0' && word[1] <= '9'
}

// flagsBehindArguments reports flags that stand behind the first argument: they would be taken for arguments, and
// silently have no effect. It names the whole call as it should be, with the flags in front.
func flagsBehindArguments(ctx *cli.Context) error {
	args := ctx.Args().Slice()
	if slices.IndexFunc(args, isFlag) < 1 {
		return nil
	}
	before := wordsBefore(ctx)
	if before[len(before)-1] == "--" {
		return nil // all words behind that are arguments
	}
	var rest []string
	for i := 0; i < len(args); i++ {
		switch {
		case !isFlag(args[i]):
			rest = append(rest, args[i])
		case takesNext(ctx, args[i]) && i+1 < len(args):
			before = append(before, args[i], args[i+1])
			i++
		default:
			before = append(before, args[i])
		}
	}
	words := append(before, rest...)
	for i := range words {
		words[i] = shellword.Quote(words[i])
	}
	return fmt.Errorf("flags stand before the arguments: %s", strings.Join(words, " "))
}

// wordsBefore returns the call of a command up to its arguments. The library keeps all words but the program's flags.
func wordsBefore(ctx *cli.Context) []string {
	line := ctx.Lineage()
	root := line[slices.IndexFunc(line, func(c *cli.Context) bool { return c.Command.Name == ctx.App.Name })]
	words := []string{ctx.App.Name}
	for _, f := range ctx.App.Flags {
		name := f.Names()[0]
		if !slices.Contains(root.LocalFlagNames(), name) {
			continue
		}
		value := root.String(name)
		if list := root.StringSlice(name); len(list) > 0 {
			value = strings.Join(list, ",")
		}
		words = append(words, "--"+name+"="+value)
	}
	all := root.Args().Slice()
	return append(words, all[:len(all)-ctx.NArg()]...)
}

// takesNext reports whether a flag of a command, or of those above it, has its value in the next word.
func takesNext(ctx *cli.Context, word string) bool {
	name := strings.TrimLeft(word, "-")
	for _, above := range ctx.Lineage() {
		if above.Command == nil {
			continue
		}
		for _, f := range above.Command.Flags {
			described, ok := f.(cli.DocGenerationFlag)
			if ok && slices.Contains(f.Names(), name) {
				return described.TakesValue()
			}
		}
	}
	return false
}
