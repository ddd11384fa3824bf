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

	"gwon/internal/usage"
)

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
		if n := len(r.names); n <= 28 { // the text of wider names begins in a line of its own
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

// HelpAllFlag shows what --help leaves out.
var HelpAllFlag = &cli.BoolFlag{Name: "help-all", Usage: "Show all flags"}

// shortenHelp leaves rare flags of the commands with more than 40 to --help-all.
func shortenHelp(commands []*cli.Command) {
	for _, c := range commands {
		shortenHelp(c.Subcommands)
		if len(c.Flags) <= 40 {
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
		return usage.NoSuchCommand(ctx)
	}
	if ctx.Bool(HelpAllFlag.Name) {
		ctx.App.CustomAppHelpTemplate = appHelp
	}
	return cli.ShowAppHelp(ctx)
}
