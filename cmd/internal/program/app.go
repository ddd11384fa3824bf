// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package program

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/ethereum/go-ethereum/cmd/bridge"
	"github.com/urfave/cli/v2"

	"gwon/internal/atomicfile"
	"gwon/internal/release"
	"gwon/internal/usage"
)

// NewApp returns a program with some commands and the flags of the log. Of many flags its help pages show those that
// are common.
func NewApp(name, purpose string, commands []*cli.Command, common ...string) *cli.App {
	app := bridge.NewApp(purpose)
	app.Name = name
	app.Version = release.Version()
	app.Copyright = "Copyright 2026 The gwon Authors"
	app.Flags = append(slices.Clone(bridge.DebugFlags), HelpAllFlag)
	app.Commands = Copy(commands)
	app.Action, app.CustomAppHelpTemplate = ShowHelp, briefAppHelp
	app.OnUsageError = usage.WrongFlag
	app.Suggest, cli.SuggestDidYouMeanTemplate, cli.SuggestCommand = true, didYouMean, suggestCommand
	app.ExitErrHandler = func(*cli.Context, error) {} // End prints the error
	cli.HelpPrinter = helpPrinter(append(common, "verbosity"))
	cli.CommandHelpTemplate, cli.SubcommandHelpTemplate = commandHelp, subcommandHelp
	shortenHelp(app.Commands)
	usage.Brief(app.Commands)
	InheritFlags(app.Commands)
	return app
}

// SetUpLog sends the log where the flags of a program say, and profiles. A file that is no log is refused.
func SetUpLog(ctx *cli.Context) error {
	if file := ctx.String("log.file"); file != "" {
		if err := atomicfile.CheckLines(file, isLogLine); err != nil {
			return fmt.Errorf("--log.file: %w", err)
		}
	}
	return bridge.DebugSetup(ctx)
}

// logLine matches what begins a line in each form of --log.format.
var logLine = regexp.MustCompile(`^((\x1b\[\d+m)?(TRACE|DEBUG|INFO |WARN |ERROR|CRIT )|t=\d|{"t":)`)

func isLogLine(line []byte, _ bool) bool { return logLine.Match(line) }

const didYouMean = "did you mean %s?"

var libraryCommand = cli.SuggestCommand

// suggestCommand is the library's, without a question where no name is alike.
func suggestCommand(commands []*cli.Command, provided string) string {
	if like := libraryCommand(commands, provided); like != fmt.Sprintf(didYouMean, "") {
		return like
	}
	return ""
}
