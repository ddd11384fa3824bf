// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package program

import (
	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/urfave/cli/v2"

	"gwon/internal/release"
)

// NewApp returns a program with some commands and the flags of the log.
func NewApp(name, usage string, commands []*cli.Command) *cli.App {
	app := utils.NewApp(usage)
	app.Name = name
	app.Version = release.Version()
	app.Copyright = "Copyright 2026 The gwon Authors"
	app.Flags = utils.DebugFlags
	app.Commands = Copy(commands)
	app.OnUsageError = UsageError
	cli.HelpPrinter = PrintHelp
	cli.CommandHelpTemplate, cli.SubcommandHelpTemplate = CommandHelp, SubcommandHelp
	BriefUsageErrors(app.Commands)
	InheritFlags(app.Commands)
	return app
}
