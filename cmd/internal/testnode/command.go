// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package testnode

import (
	"context"
	"errors"

	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/blockchain"
	"gwon/cmd/internal/feed"
	"gwon/cmd/internal/nodestart"
	"gwon/cmd/internal/program"
)

// commandName is the command in messages.
const commandName = "gwon-dev node"

// Command runs a node with a chain of its own, until a signal ends it.
var Command = &cli.Command{
	Name:  "node",
	Usage: "Run one validator without network, with funded accounts and test methods",
	Description: "The chain is in memory, or in the directory of --state. Endpoints are open on the loopback interface, " +
		"also to the methods of Hardhat and anvil. A browser shows the chain at the HTTP endpoint. The keys are public: " +
		"never use them elsewhere.\n\n" +
		"The terminal shows a line for each block and for each transaction, and why a transaction failed. A line with " +
		"the letter t shows endpoints and accounts again. The other flags are those of a node of gwon.",
	Flags:  flags(),
	Action: run,
}

func run(ctx *cli.Context) (err error) {
	if err := prepareLog(ctx); err != nil {
		return err
	}
	chain := &Chain{ctx: ctx}
	defer func() { err = errors.Join(err, chain.closeFork()) }()
	running, err := nodestart.Start(ctx, nodestart.Options{Chain: chain, Register: blockchain.RegisterSnapshots})
	if errors.Is(err, program.ErrInterrupted) {
		return nil
	}
	if err != nil {
		return err
	}
	until, stop := context.WithCancel(ctx.Context)
	defer stop()
	end, err := chain.Watch(running.Stack, until)
	if err != nil {
		return errors.Join(err, running.Close())
	}
	defer end()
	running.Stack.Wait()
	return running.Close()
}

// prepareLog lowers the level of the log where --verbosity does not set it: to warnings, since blocks and transactions
// are printed already, and to errors with --quiet.
func prepareLog(ctx *cli.Context) error {
	if !ctx.IsSet(nodestart.VerbosityName) {
		level := "2"
		if ctx.Bool(feed.QuietFlag.Name) {
			level = "1"
		}
		if err := ctx.Set(nodestart.VerbosityName, level); err != nil {
			return err
		}
	}
	return nodestart.PrepareLog(ctx, ctx.Command.Flags, true)
}
