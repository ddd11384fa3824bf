// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package localnet

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/program"
	"gwon/dev/devnet"
	"gwon/internal/process"
)

var (
	devnetExportCommand = &cli.Command{
		Name:      "export",
		Usage:     "Put a stopped devnet into one file: blocks, receipts, states, keys and votes",
		ArgsUsage: "FILE",
		Flags:     []cli.Flag{devnetDirFlag},
		Action:    exportDevnet,
	}
	devnetImportCommand = &cli.Command{
		Name:      "import",
		Usage:     "Lay a devnet out from a file of gwon-dev devnet export",
		ArgsUsage: "FILE",
		Flags: []cli.Flag{devnetDirFlag, &cli.BoolFlag{
			Name: devnetResetFlag.Name, Usage: "Throw the blocks away that the same network has in the directory",
		}},
		Action: importDevnet,
	}
)

func exportDevnet(ctx *cli.Context) error {
	file, dir, err := archiveArguments(ctx)
	if err != nil {
		return err
	}
	archived, err := devnet.Export(dir, file)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(ctx.App.Writer, "Exported %d files with %v to %s\nThe keys of the network are "+
		"in it. They guard nothing.\n", archived.Files, common.StorageSize(archived.Bytes), file)
	return err
}

func importDevnet(ctx *cli.Context) error {
	file, dir, err := archiveArguments(ctx)
	if err != nil {
		return err
	}
	archived, err := devnet.Import(file, dir, ctx.Bool(devnetResetFlag.Name))
	if err != nil {
		return err
	}
	command := process.Command(ownName) + " " + commandName + datadirOption(dir)
	for _, setting := range []struct {
		flag        string
		have, usual any
	}{
		{devnetValidatorsFlag.Name, archived.Validators, devnetValidatorsFlag.Value},
		{devnetAccountsFlag.Name, archived.Accounts, devnetAccountsFlag.Value},
		{devnetChainIDFlag.Name, archived.ChainID, devnetChainIDFlag.Value},
		{devnetPeriodFlag.Name, archived.Period, devnetPeriodFlag.Value},
	} {
		if setting.have != setting.usual {
			command += fmt.Sprintf(" --%s %v", setting.flag, setting.have)
		}
	}
	_, err = fmt.Fprintf(ctx.App.Writer, "Imported %d files with %v. To continue the network: %s\n",
		archived.Files, common.StorageSize(archived.Bytes), command)
	return err
}

// archiveArguments returns the archive and the network's directory.
func archiveArguments(ctx *cli.Context) (file, dir string, err error) {
	if ctx.NArg() != 1 {
		return "", "", errors.New("name one file for the network, as in: gwon-dev devnet export network.tar.gz")
	}
	dir, err = devnetDirectory(ctx)
	return program.ExpandHome(ctx.Args().First()), dir, err
}
