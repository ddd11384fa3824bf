// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Command gwon is the node of the WKRC network, and the tools around it.
package main

import (
	"fmt"
	"os"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/console/prompt"
	"github.com/ethereum/go-ethereum/crypto/kzg4844"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/blockchain"
	"gwon/cmd/internal/damage"
	"gwon/cmd/internal/devnets"
	"gwon/cmd/internal/diagnosis"
	"gwon/cmd/internal/govern"
	"gwon/cmd/internal/keys"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/services"
	"gwon/cmd/internal/settings"
	"gwon/cmd/internal/transactions"
	"gwon/cmd/internal/validator"
	"gwon/internal/process"
	"gwon/internal/progress"
)

// verbosityName is the flag of go-ethereum that sets the level of the log; 1 is for errors.
const verbosityName = "verbosity"

// logFileName is the flag of go-ethereum that sends the log into a file.
const logFileName = "log.file"

func main() {
	kzg4844.WithoutSetup = true // the chain has the point evaluation precompile, but no blobs
	if err := runProgram(os.Args); err != nil {
		fmt.Fprintln(os.Stderr, "gwon:", err)
		os.Exit(program.StatusOf(err))
	}
}

func runProgram(args []string) (err error) {
	defer damage.Explain(&err)
	damage.EndProcess()
	return newApp().Run(args)
}

// newApp returns the program: a node, and the commands around it.
func newApp() *cli.App {
	app := settings.NewApp(commands())
	app.CustomAppHelpTemplate = shortHelp(app.Flags)
	app.Action = runNode
	app.Before = func(ctx *cli.Context) error {
		if err := setDevVerbosity(ctx); err != nil {
			return err
		}
		if err := utils.DebugSetup(ctx); err != nil {
			return err
		}
		process.QuietLog(ctx.Bool(settings.DevFlag.Name))
		if !ctx.IsSet(logFileName) { // a file gets the line as it is
			process.TellCritical(damage.TellCritical)
		}
		progress.WrapLog()
		settings.LogEnvironment(ctx)
		return nil
	}
	app.After = func(*cli.Context) error {
		utils.DebugExit()
		return prompt.Stdin.Close() // gives the terminal back its mode
	}
	return app
}

// commands returns all commands by name.
func commands() []*cli.Command {
	return []*cli.Command{
		keys.AccountCommand,
		attachCommand,
		validator.BackupCommand,
		completionCommand,
		consoleCommand,
		blockchain.ContractsCommand,
		blockchain.DBCommand,
		devnets.DevnetCommand,
		diagnosis.DoctorCommand,
		settings.DumpConfigCommand,
		blockchain.DumpGenesisCommand,
		validator.EvidenceCommand,
		blockchain.ExportCommand,
		blockchain.GenesisCommand,
		govern.Command,
		blockchain.ImportCommand,
		blockchain.InitCommand,
		licenseCommand,
		services.LoadCommand,
		devnets.NetworkCommand,
		services.NotifyCommand,
		blockchain.ProofCommand,
		blockchain.PruneHistoryCommand,
		referenceCommand,
		blockchain.RemoveDBCommand,
		validator.RestoreCommand,
		blockchain.SnapshotCommand,
		services.SponsorCommand,
		diagnosis.StatusCommand,
		transactions.Command,
		validator.Command,
		versionCommand,
	}
}

// setDevVerbosity lowers the level of the log where --verbosity does not set it: to errors with --quiet and
// for gwon doctor, and to warnings with --dev, which prints blocks and transactions itself.
func setDevVerbosity(ctx *cli.Context) error {
	switch {
	case ctx.IsSet(verbosityName):
		return nil
	case ctx.Bool(settings.QuietFlag.Name), ctx.Args().First() == diagnosis.DoctorCommandName:
		return ctx.Set(verbosityName, "1")
	case ctx.Bool(settings.DevFlag.Name):
		return ctx.Set(verbosityName, "2")
	}
	return nil
}
