// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/program"
	"gwon/internal/shellword"
)

// wrongUsage is the exit status for a call that another program answers.
const wrongUsage = 2

// otherPrograms are the commands that other programs have since 0.3.
var otherPrograms = []struct{ command, program string }{
	{"devnet", "gwon-dev"}, {"load", "gwon-dev"}, {"tx", "gwon-dev"}, {"notify", "gwon-pay"}, {"sponsor", "gwon-pay"},
}

// movedCommands return hidden commands that name the program of an old call.
func movedCommands() []*cli.Command {
	var list []*cli.Command
	for _, other := range otherPrograms {
		list = append(list, &cli.Command{
			Name: other.command, Hidden: true, SkipFlagParsing: true, HideHelp: true, ArgsUsage: "[ARGUMENTS]",
			Action: func(ctx *cli.Context) error {
				return moved(other.command, other.program+" "+other.command, ctx.Args().Slice())
			},
		})
	}
	return list
}

// movedFlag names the program of an old call with --dev, which chose another kind of node by a flag.
func movedFlag(args []string) error {
	found := false
	var rest []string
	for i, arg := range args {
		if arg == "--" {
			rest = append(rest, args[i:]...)
			break
		}
		switch name := strings.TrimPrefix(arg, "-"); {
		case name == "-dev" || name == "-dev=true" || arg == "-dev":
			found = true
		default:
			period, _, _ := strings.Cut(name, "=")
			found = found || period == "-dev.period" || arg == "-dev.period"
			rest = append(rest, arg)
		}
	}
	if !found {
		return nil
	}
	if i := slices.Index(rest, "console"); i >= 0 {
		return fmt.Errorf(`%w, and "gwon attach" with the endpoint that it prints`,
			moved("--dev", "gwon-dev node", slices.Delete(rest, i, i+1)))
	}
	return moved("--dev", "gwon-dev node", rest)
}

// moved returns the error for an old call, with the call that does the same now.
func moved(old, now string, args []string) error {
	call := now
	for _, arg := range args {
		call += " " + shellword.Quote(arg)
	}
	return program.WithStatus(fmt.Errorf("%s %s is %s now: run %q", program.Name, old, now, call), wrongUsage)
}
