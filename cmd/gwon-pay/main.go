// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Command gwon-pay pays fees of others by a policy, and posts transfers to webhooks.
package main

import (
	"os"

	"github.com/ethereum/go-ethereum/cmd/bridge"
	"github.com/ethereum/go-ethereum/console/prompt"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/payments"
	"gwon/cmd/internal/program"
)

const name = "gwon-pay"

func main() {
	program.End(name, runProgram(os.Args))
}

func runProgram(args []string) error { return newApp().Run(args) }

func newApp() *cli.App {
	app := program.NewApp(name, "payments on the WKRC network", commands())
	app.Before = program.SetUpLog
	app.After = func(*cli.Context) error {
		bridge.DebugExit()
		return prompt.Stdin.Close() // gives the terminal back its mode
	}
	return app
}

// commands returns all commands by name.
func commands() []*cli.Command {
	return program.Commands(name, payments.NotifyCommand, payments.SponsorCommand)
}
