// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/nodestart"
	"gwon/cmd/internal/settings"
)

// commonFlags are the flags of the node that gwon --help shows, by their names.
var commonFlags = []string{
	settings.MainnetFlag.Name, settings.TestnetFlag.Name, settings.DataDirFlag.Name, settings.ConfigFlag.Name,
	settings.MineFlag.Name, utils.NodeKeyFileFlag.Name,
	utils.HTTPEnabledFlag.Name, utils.HTTPListenAddrFlag.Name, utils.HTTPPortFlag.Name, utils.HTTPApiFlag.Name,
	utils.WSEnabledFlag.Name, settings.RPCProfileFlag.Name,
	utils.ListenPortFlag.Name, utils.BootnodesFlag.Name, utils.SyncModeFlag.Name, utils.GCModeFlag.Name,
	utils.MetricsEnabledFlag.Name, nodestart.VerbosityName,
}

// shortHelp is the template of the library for the help page of the program, with the flags that most people need.
func shortHelp(flags []cli.Flag) string {
	var page strings.Builder
	page.WriteString(`NAME:
   {{.Name}} - {{.Usage}}

USAGE:
   {{.HelpName}} [flags]              run a node, as in: {{.HelpName}} --testnet
   {{.HelpName}} COMMAND [flags]      see {{.HelpName}} COMMAND --help

VERSION:
   {{.Version}}

COMMANDS:{{range .VisibleCommands}}
   {{join .Names ", "}}{{"\t"}}{{.Usage}}{{end}}

FLAGS:
`)
	for _, name := range commonFlags {
		i := slices.IndexFunc(flags, func(f cli.Flag) bool { return f.Names()[0] == name })
		fmt.Fprintf(&page, "   --%s\t%s\n", name, flags[i].(cli.DocGenerationFlag).GetUsage())
	}
	fmt.Fprintf(&page, "   --%s\t%s\n", settings.HelpAllFlag.Name, settings.HelpAllFlag.Usage)
	return page.String()
}

// showAllHelp prints the help page with all flags by category.
func showAllHelp(ctx *cli.Context) error {
	ctx.App.CustomAppHelpTemplate = ""
	return cli.ShowAppHelp(ctx)
}
