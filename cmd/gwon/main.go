// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

// Command gwon is the node of the WKRC network, and the commands of its operator.
package main

import (
	"errors"
	"os"

	"github.com/ethereum/go-ethereum/cmd/bridge"
	"github.com/ethereum/go-ethereum/console/prompt"
	"github.com/ethereum/go-ethereum/crypto/kzg4844"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/blockchain"
	"gwon/cmd/internal/damage"
	"gwon/cmd/internal/diagnosis"
	"gwon/cmd/internal/founding"
	"gwon/cmd/internal/govern"
	"gwon/cmd/internal/keys"
	"gwon/cmd/internal/nodestart"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/recordings"
	"gwon/cmd/internal/settings"
	"gwon/cmd/internal/validator"
)

func main() {
	kzg4844.WithoutSetup = true // the chain has no blobs
	program.End(program.Name, runProgram(os.Args))
}

func runProgram(args []string) (err error) {
	defer damage.Explain(&err)
	damage.EndProcess()
	if err := movedFlag(args[1:]); err != nil {
		return err
	}
	return newApp().Run(args)
}

// newApp returns the program: a node, and the commands around it.
func newApp() *cli.App {
	app := settings.NewApp(commands())
	app.UsageText = "gwon [flags]              run a node, as in: gwon --testnet"
	app.Action = runNode
	app.Before = func(ctx *cli.Context) error {
		if ctx.Args().First() == diagnosis.DoctorCommandName && !ctx.IsSet(nodestart.VerbosityName) {
			if err := ctx.Set(nodestart.VerbosityName, "1"); err != nil {
				return err
			}
		}
		return nodestart.PrepareLog(ctx, ctx.App.Flags, false)
	}
	app.After = func(*cli.Context) error {
		bridge.DebugExit()
		return prompt.Stdin.Close() // gives the terminal back its mode
	}
	return app
}

// commands returns all commands by name, and those that other programs have now.
func commands() []*cli.Command {
	own := []*cli.Command{
		keys.AccountCommand,
		blockchain.AdoptCommand,
		attachCommand,
		validator.BackupCommand,
		consoleCommand,
		blockchain.ContractsCommand,
		blockchain.DBCommand,
		diagnosis.DoctorCommand,
		settings.DumpConfigCommand,
		blockchain.DumpGenesisCommand,
		validator.EvidenceCommand,
		recordings.ExplainCommand,
		blockchain.ExportCommand,
		blockchain.ExportHistoryCommand,
		blockchain.GenesisCommand,
		govern.Command,
		blockchain.ImportCommand,
		blockchain.InitCommand,
		founding.Command,
		blockchain.ProofCommand,
		blockchain.PruneHistoryCommand,
		blockchain.RemoveDBCommand,
		recordings.ReplayCommand,
		validator.RestoreCommand,
		blockchain.SnapshotCommand,
		diagnosis.StatusCommand,
		validator.Command,
	}
	all := program.Commands(program.Name, own...)
	return append(all, movedCommands()...)
}

// startNode starts a node of a network. console reports whether Ctrl-C belongs to a console.
func startNode(ctx *cli.Context, console bool) (*nodestart.Running, error) {
	return nodestart.Start(ctx, nodestart.Options{
		Console: console, Adopt: blockchain.AdoptAtStart, Register: blockchain.RegisterSnapshots,
	})
}

// runNode is the command without a subcommand: a node until a signal ends it.
func runNode(ctx *cli.Context) error {
	if ctx.NArg() > 0 || ctx.Bool(program.HelpAllFlag.Name) {
		return program.ShowHelp(ctx)
	}
	running, err := startNode(ctx, false)
	if errors.Is(err, program.ErrInterrupted) {
		return nil
	}
	if err != nil {
		return err
	}
	running.Stack.Wait()
	return running.Close()
}
