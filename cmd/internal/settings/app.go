// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package settings

import (
	"slices"

	"github.com/ethereum/go-ethereum/cmd/bridge"
	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/program"
)

// envPrefix begins the environment variables that stand for flags: GWON_HTTP_PORT is --http.port.
const envPrefix = "GWON"

// commonFlags are the flags of a node that help pages show without --help-all, by their names.
var commonFlags = []string{
	MainnetFlag.Name, TestnetFlag.Name, DataDirFlag.Name, ConfigFlag.Name, MineFlag.Name, utils.NodeKeyFileFlag.Name,
	utils.HTTPEnabledFlag.Name, utils.HTTPListenAddrFlag.Name, utils.HTTPPortFlag.Name, utils.HTTPApiFlag.Name,
	utils.WSEnabledFlag.Name, RPCProfileFlag.Name, utils.ListenPortFlag.Name, utils.BootnodesFlag.Name,
	utils.SyncModeFlag.Name, utils.GCModeFlag.Name, utils.MetricsEnabledFlag.Name,
}

// NewApp returns a program with the flags of the node and some commands. What it does without a command is up to
// the caller.
func NewApp(commands []*cli.Command) *cli.App {
	setDefaults()
	app := program.NewApp(program.Name, "client of the WKRC network", commands, commonFlags...)
	app.Flags = slices.Concat(NodeFlags(), ConsoleFlags, bridge.DebugFlags, []cli.Flag{program.HelpAllFlag})
	bridge.AutoEnvVars(app.Flags, envPrefix)
	return app
}

// NewDevApp returns a program of commands, one of which is a node with flags of its own.
func NewDevApp(name, usage string, commands []*cli.Command, nodeFlags []cli.Flag) *cli.App {
	setDefaults()
	app := program.NewApp(name, usage, commands, commonFlags...)
	bridge.AutoEnvVars(nodeFlags, envPrefix)
	return app
}

// LogEnvironment logs which environment variables stand for flags, and warns of those that stand for none.
func LogEnvironment(ctx *cli.Context, flags []cli.Flag) { bridge.CheckEnvVars(ctx, flags, envPrefix) }
