// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package recordings

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/ethereum/go-ethereum/common"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/consensus/wbft/explain"
)

var recordingFlag = &cli.StringSliceFlag{
	Name: "recording",
	Usage: "Recording of a validator: a data directory, a directory of its recorder or a file; repeat it for others of " +
		"the same network (default: the recorder of --datadir)",
}

// ExplainCommand tells why a block took its time.
var ExplainCommand = &cli.Command{
	Name:      "explain",
	Usage:     "Tell why a block took its rounds and its time, from the recordings of one or several validators",
	ArgsUsage: "<block number or hash>",
	Description: "The recordings are replayed, also while their nodes run. They show whose proposal or votes the " +
		"validators waited for, what arrived late, and which validators were absent.",
	Flags:  append([]cli.Flag{recordingFlag, program.JSONFlag, settings.DataDirFlag}, settings.NetworkFlags...),
	Action: explainBlock,
}

func explainBlock(ctx *cli.Context) error {
	if ctx.NArg() != 1 {
		return errors.New("give the number or the hash of one block")
	}
	files, err := filesOf(ctx, ctx.StringSlice(recordingFlag.Name))
	if err != nil {
		return err
	}
	text := ctx.Args().First()
	number, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		var hash common.Hash
		if err := hash.UnmarshalText([]byte(text)); err != nil {
			return fmt.Errorf("%q is neither the number nor the hash of a block", text)
		}
		if number, err = explain.Find(files, hash); err != nil {
			return err
		}
	}
	if number == 0 {
		return errors.New("block 0 was not decided: it is the genesis block")
	}
	views, problems := explain.Gather(files, number)
	e, err := explain.Explain(number, views, nameOf(files))
	if err != nil {
		for _, problem := range problems {
			err = fmt.Errorf("%w; %s", err, problem)
		}
		return err
	}
	e.Problems = problems
	if ctx.Bool(program.JSONFlag.Name) {
		return program.PrintIndented(ctx.App.Writer, e)
	}
	for _, sentence := range e.Sentences {
		if _, err := fmt.Fprintln(ctx.App.Writer, sentence); err != nil {
			return err
		}
	}
	for _, problem := range problems {
		if _, err := fmt.Fprintf(ctx.App.Writer, "Not read: %s\n", problem); err != nil {
			return err
		}
	}
	return nil
}
