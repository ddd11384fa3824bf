// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Command gwon-dev runs local networks and test nodes, and shows transactions in plain words.
package main

import (
	"os"

	"github.com/ethereum/go-ethereum/cmd/bridge"
	"github.com/ethereum/go-ethereum/console/prompt"
	"github.com/ethereum/go-ethereum/crypto/kzg4844"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/damage"
	"gwon/cmd/internal/lightnode"
	"gwon/cmd/internal/load"
	"gwon/cmd/internal/localnet"
	"gwon/cmd/internal/nodestart"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/cmd/internal/testnode"
	"gwon/cmd/internal/transactions"
)

const name = "gwon-dev"

func main() {
	program.End(name, runProgram(os.Args))
}

func runProgram(args []string) (err error) {
	kzg4844.WithoutSetup = true // the chain has no blobs
	defer damage.Explain(&err)
	damage.EndProcess()
	return newApp().Run(args)
}

func newApp() *cli.App {
	app := settings.NewDevApp(name, "local networks and test nodes of gwon", commands(), testnode.Command.Flags)
	app.Before = func(ctx *cli.Context) error {
		if err := program.SetUpLog(ctx); err != nil {
			return err
		}
		nodestart.QuietLog(false)
		return nil
	}
	app.After = func(*cli.Context) error {
		bridge.DebugExit()
		return prompt.Stdin.Close() // gives the terminal back its mode
	}
	return app
}

// commands returns all commands by name.
func commands() []*cli.Command {
	return program.Commands(name, lightnode.Command, localnet.Command, load.Command, testnode.Command,
		transactions.Command)
}
