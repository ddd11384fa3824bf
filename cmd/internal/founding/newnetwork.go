// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package founding

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/blockchain"
	"gwon/cmd/internal/program"
	"gwon/internal/amounts"
	"gwon/internal/atomicfile"
	"gwon/internal/txobject"
	"gwon/operator/newnetwork"
	"gwon/params"
)

var (
	networkValidatorsFlag = &cli.PathFlag{
		Name: "validators",
		Usage: "File with the output of gwon validator show --json for each " +
			"validator, and its \"endpoint\": \"HOST:PORT\"",
		Required: true,
	}
	networkChainIDFlag = &cli.Uint64Flag{Name: "chainid", Usage: "Chain ID of the network", Required: true}
	networkPeriodFlag  = &cli.DurationFlag{
		Name:  "period",
		Usage: "Time between blocks in whole seconds",
		Value: time.Second,
	}
	networkQuorumFlag = &cli.Uint64Flag{
		Name:  "quorum",
		Usage: "Votes that a proposal of the governances needs (0 = 2, or 1 of a single validator)",
	}
	networkVersionFlag = &cli.StringFlag{
		Name: "contracts",
		Usage: "Version of the system contracts: " + params.G1 + ", gwon's own, or " +
			params.V1 + ", of the public networks, where go-stablenet takes part",
		Value: params.G1,
	}
	networkAllocFlag = &cli.PathFlag{
		Name:  "alloc",
		Usage: "JSON file with funded accounts, as in the alloc of a genesis file",
	}
	networkFundFlag = &cli.StringSliceFlag{
		Name: "fund",
		Usage: "ADDRESS=COINS of an account in the genesis block; a unit may follow. May be repeated, best for each " +
			"operator, who pays fees to vote",
	}
	networkNoCoinsFlag = &cli.BoolFlag{
		Name:  "no-coins",
		Usage: "Make a network in which no account has a coin, and so none can send a transaction",
	}
)

// Command writes the files of a new network.
var Command = &cli.Command{
	Name:  "network",
	Usage: "Found a network of your own",
	Subcommands: []*cli.Command{
		{
			Name:      "new",
			Usage:     "Write genesis file, configurations and instructions for the operators of a new network",
			ArgsUsage: "<new directory>",
			Description: "Each operator makes a key with gwon validator new and hands over what gwon validator show " +
				"--json prints. The key files of go-stablenet work as they are: gwon validator show --nodekey FILE --json. " +
				"No private key is needed here.",
			Flags: []cli.Flag{
				networkValidatorsFlag,
				networkChainIDFlag,
				networkPeriodFlag,
				networkQuorumFlag,
				networkVersionFlag,
				networkAllocFlag,
				networkFundFlag,
				networkNoCoinsFlag,
			},
			Action: newNetwork,
		},
	},
}

func newNetwork(ctx *cli.Context) error {
	if ctx.NArg() != 1 {
		return errors.New("give the new directory to write to")
	}
	dir := program.ExpandHome(ctx.Args().First())
	options := newnetwork.Options{
		ChainID: ctx.Uint64(networkChainIDFlag.Name), Period: ctx.Duration(networkPeriodFlag.Name),
		Quorum: ctx.Uint64(networkQuorumFlag.Name), Contracts: ctx.String(networkVersionFlag.Name), Created: time.Now(),
		NoCoins: ctx.Bool(networkNoCoinsFlag.Name),
	}
	var err error
	if options.Validators, err = readNewValidators(ctx.Path(networkValidatorsFlag.Name)); err != nil {
		return err
	}
	if options.Alloc, err = blockchain.ReadAlloc(networkAllocFlag.Name, ctx.Path(networkAllocFlag.Name)); err != nil {
		return err
	}
	if err := fund(options.Alloc, ctx.StringSlice(networkFundFlag.Name)); err != nil {
		return err
	}
	made, err := newnetwork.Write(dir, options)
	if err != nil {
		return err
	}
	for _, warning := range options.Warnings() {
		if _, err := fmt.Fprintf(ctx.App.ErrWriter, "Warning: %s\n", warning); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(ctx.App.Writer, "Genesis block: %v\nConfiguration: %v\nHand each operator one folder:\n  %s\n"+
		"Followers take the files of %s.\n", made.GenesisHash, made.Configuration, strings.Join(made.Folders, "\n  "), dir)
	return err
}

// fund adds the accounts of --fund to an allocation, which must not have them.
func fund(alloc types.GenesisAlloc, entries []string) error {
	for _, entry := range entries {
		account, coins, ok := strings.Cut(entry, "=")
		if !ok {
			return fmt.Errorf("--%s %q: want ADDRESS=COINS, such as 0x00000000000000000000000000000000000000aa=1000",
				networkFundFlag.Name, entry)
		}
		address, err := txobject.ParseAddress(account)
		if err != nil {
			return fmt.Errorf("--%s %q: %w", networkFundFlag.Name, entry, err)
		}
		wei, err := amounts.Parse(coins, amounts.Coins)
		if err != nil {
			return fmt.Errorf("--%s %q: %w", networkFundFlag.Name, entry, err)
		}
		if _, twice := alloc[address]; twice {
			return fmt.Errorf("--%s %q: the account is given twice, here or in --%s", networkFundFlag.Name, entry,
				networkAllocFlag.Name)
		}
		alloc[address] = types.Account{Balance: wei}
	}
	return nil
}

func readNewValidators(path string) ([]newnetwork.Validator, error) {
	content, err := atomicfile.Read(program.ExpandHome(path))
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", networkValidatorsFlag.Name, err)
	}
	list, err := newnetwork.ReadValidators(bytes.NewReader(content))
	if err != nil {
		return nil, fmt.Errorf("--%s %s: %w", networkValidatorsFlag.Name, path, err)
	}
	return list, nil
}
