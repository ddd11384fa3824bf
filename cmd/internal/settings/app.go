// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package settings

import (
	"slices"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/program"
)

// envPrefix begins the environment variables that stand for flags: GWON_HTTP_PORT is --http.port.
const envPrefix = "GWON"

// HelpAllFlag shows what --help leaves out.
var HelpAllFlag = &cli.BoolFlag{Name: "help-all", Usage: "Show all flags of the node"}

// NewApp returns a program with the flags of the node and some commands. What it does without a command is up to
// the caller.
func NewApp(commands []*cli.Command) *cli.App {
	setDefaults()
	app := program.NewApp(program.Name, "client of the WKRC network", commands)
	app.Flags = slices.Concat(NodeFlags(), ConsoleFlags, utils.DebugFlags, []cli.Flag{HelpAllFlag})
	utils.AutoEnvVars(app.Flags, envPrefix)
	return app
}

// NewDevApp returns a program of commands, one of which is a node with flags of its own.
func NewDevApp(name, usage string, commands []*cli.Command, nodeFlags []cli.Flag) *cli.App {
	setDefaults()
	app := program.NewApp(name, usage, commands)
	utils.AutoEnvVars(nodeFlags, envPrefix)
	return app
}

// LogEnvironment logs which environment variables stand for flags, and warns of those that stand for none.
func LogEnvironment(ctx *cli.Context, flags []cli.Flag) { utils.CheckEnvVars(ctx, flags, envPrefix) }
