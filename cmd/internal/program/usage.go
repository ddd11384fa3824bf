// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package program

import (
	_ "embed"
	"fmt"
	"io"
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

// Help pages of a command, in the language of the library's templates: commandHelp without commands below it,
// subcommandHelp with some, and briefHelp without rare flags. The last two are those of a program.
const (
	commandHelp    = helpHead + helpFlags
	subcommandHelp = helpHead + helpCommands + helpFlags

	briefHelp    = helpHead + briefFlags
	appHelp      = appHead + helpFlags
	briefAppHelp = appHead + briefFlags

	helpHead = `NAME:
   {{template "helpNameTemplate" .}}

USAGE:
   {{template "usageTemplate" .}}{{if .Description}}

DESCRIPTION:
   {{template "descriptionTemplate" .}}{{end}}{{with example .HelpName}}

EXAMPLE:
   {{.}}{{end}}`

	appHead = `NAME:
   {{.Name}} - {{.Usage}}

USAGE:{{if .UsageText}}
   {{.UsageText}}{{end}}
   {{.HelpName}} COMMAND [flags]      see {{.HelpName}} COMMAND --help

VERSION:
   {{.Version}}` + helpCommands

	helpCommands = "\n\nCOMMANDS:{{template \"visibleCommandTemplate\" .}}"

	helpFlags = `{{if .VisibleFlagCategories}}{{range .VisibleFlagCategories}}

{{if .Name}}{{.Name}} {{end}}OPTIONS:{{describe .Flags}}{{end}}{{else if .VisibleFlags}}

OPTIONS:{{describeAll .VisibleFlags}}{{end}}
`

	briefFlags = `

OPTIONS:{{describeBrief .VisibleFlags}}
`
)

// examples has calls of all commands, one a line. Of several calls of a command its page shows the first.
//
//go:embed examples.txt
var examples string

// exampleOf returns a call of a command, or of one below it.
func exampleOf(command string) string {
	for line := range strings.Lines(examples) {
		if line = strings.TrimSpace(line); line == command || strings.HasPrefix(line, command+" ") {
			return line
		}
	}
	return ""
}

// widestFlag is the number of columns of a flag's names from which its text begins in a line of its own.
const widestFlag = 28

// describeFlags returns a table of flags for a help page: names, text, default value and environment variable. Each
// line begins with a line break.
func describeFlags[F cli.Flag](flags []F) string { return describe(flags, true) }

func describe[F cli.Flag](flags []F, environment bool) string {
	type row struct{ names, text string }
	var rows []row
	width := 0
	for _, f := range flags {
		f, ok := any(f).(cli.DocGenerationFlag)
		if !ok {
			continue
		}
		placeholder := ""
		if f.TakesValue() {
			placeholder = "value"
		}
		r := row{cli.FlagNamePrefixer(f.Names(), placeholder), strings.TrimSpace(f.GetUsage())}
		if value := f.GetDefaultText(); f.TakesValue() && value != "" && !strings.Contains(r.text, "(default") {
			r.text += " (default: " + value + ")"
		}
		if variables := f.GetEnvVars(); environment && len(variables) > 0 {
			r.text += " ($" + variables[0] + ")"
		}
		rows = append(rows, r)
		if n := len(r.names); n <= widestFlag {
			width = max(width, n)
		}
	}
	var b strings.Builder
	margin := strings.Repeat(" ", len("   ")+width+len(" "))
	for _, r := range rows {
		line := fmt.Sprintf("   %-*s ", width, r.names)
		words := strings.Fields(r.text)
		for i, word := range words {
			if len(line)+len(" ")+len(word) > helpWidth || i == 0 && len(r.names) > width {
				b.WriteString("\n" + strings.TrimRight(line, " "))
				line = margin
			}
			line += " " + word
		}
		b.WriteString("\n" + strings.TrimRight(line, " "))
	}
	return b.String()
}

// helpWidth is the number of columns of a help page, as in the descriptions of flags.
const helpWidth = 80

// helpPrinter returns a printer of help pages, their texts wrapped. Each paragraph of a text is one line in the source.
// A brief page has the common flags and those of no category.
func helpPrinter(common []string) func(w io.Writer, page string, data any) {
	rare := func(f cli.Flag) bool {
		c, ok := f.(cli.CategorizableFlag)
		return ok && c.GetCategory() != "" && !slices.Contains(common, f.Names()[0])
	}
	return func(w io.Writer, page string, data any) {
		cli.HelpPrinterCustom(w, page, data, map[string]any{
			"wrapAt":      func() int { return helpWidth },
			"example":     exampleOf,
			"describe":    describeFlags[cli.VisibleFlag],
			"describeAll": describeFlags[cli.Flag],
			"describeBrief": func(flags []cli.Flag) string {
				return describe(slices.DeleteFunc(slices.Clone(flags), rare), false)
			},
		})
	}
}

// mostFlags is the number of flags that a help page shows without --help-all.
const mostFlags = 40

// HelpAllFlag shows what --help leaves out.
var HelpAllFlag = &cli.BoolFlag{Name: "help-all", Usage: "Show all flags"}

// shortenHelp leaves rare flags of the commands that have many to --help-all.
func shortenHelp(commands []*cli.Command) {
	for _, c := range commands {
		shortenHelp(c.Subcommands)
		if len(c.Flags) <= mostFlags {
			continue
		}
		c.Flags = append(slices.Clip(c.Flags), HelpAllFlag)
		c.CustomHelpTemplate = briefHelp
		action := c.Action
		c.Action = func(ctx *cli.Context) error {
			if !ctx.Bool(HelpAllFlag.Name) {
				return action(ctx)
			}
			cli.HelpPrinter(ctx.App.Writer, commandHelp, ctx.Command)
			return nil
		}
	}
}

// ShowHelp is what a program does without a command: it shows its help page, with all flags after --help-all.
func ShowHelp(ctx *cli.Context) error {
	if ctx.NArg() > 0 {
		return NoSuchCommand(ctx)
	}
	if ctx.Bool(HelpAllFlag.Name) {
		ctx.App.CustomAppHelpTemplate = appHelp
	}
	return cli.ShowAppHelp(ctx)
}

// UsageError answers a wrong flag with one sentence instead of several pages of help.
func UsageError(ctx *cli.Context, err error, _ bool) error {
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
	if instead := elsewhere[wrong]; instead != "" && path == Name {
		return fmt.Errorf("there is no command %q: run %s", wrong, instead)
	}
	of := ""
	if path != ctx.App.Name {
		of = " of " + path
	}
	return fmt.Errorf("there is no command %q%s; %s see %s --help", wrong, of, cli.SuggestCommand(shown, wrong), path)
}

// CommandPath returns the words that start the command of a context, such as "gwon-dev devnet stop".
func CommandPath(ctx *cli.Context) string { return ctx.Command.HelpName }

// BriefUsageErrors makes the commands answer what they do not understand with one sentence.
func BriefUsageErrors(commands []*cli.Command) {
	for _, c := range commands {
		c.OnUsageError = UsageError
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
		BriefUsageErrors(c.Subcommands)
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
