// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package program

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// Copy returns copies of commands, which a program can change. Their flags are the same.
func Copy(commands []*cli.Command) []*cli.Command {
	copies := make([]*cli.Command, len(commands))
	for i, c := range commands {
		one := *c
		one.Subcommands = Copy(c.Subcommands)
		copies[i] = &one
	}
	return copies
}

// InheritFlags lets flags stand before a command as well as after it: "gwon --datadir D account list". A flag after the
// command takes precedence over one before it, and both over an environment variable.
func InheritFlags(commands []*cli.Command) {
	for _, c := range commands {
		InheritFlags(c.Subcommands)
		action := c.Action
		if action == nil {
			continue
		}
		c.Action = func(ctx *cli.Context) error {
			if err := inherit(ctx); err != nil {
				return err
			}
			return action(ctx)
		}
	}
}

// inherit sets the flags of a command that are given before it and not after it.
func inherit(ctx *cli.Context) error {
	given := ctx.LocalFlagNames() // without those of environment variables
	for _, flag := range ctx.Command.Flags {
		name := flag.Names()[0]
		if slices.ContainsFunc(flag.Names(), func(n string) bool { return slices.Contains(given, n) }) {
			continue
		}
		lineage := ctx.Lineage()[1:]
		at := slices.IndexFunc(lineage, func(before *cli.Context) bool { return before.IsSet(name) })
		if at < 0 {
			continue
		}
		value := lineage[at].String(name)
		if list := lineage[at].StringSlice(name); len(list) > 0 {
			value = strings.Join(list, ",")
		}
		if err := ctx.Set(name, value); err != nil {
			return fmt.Errorf("--%s before %s: %w", name, ctx.Command.Name, err)
		}
	}
	return nil
}
