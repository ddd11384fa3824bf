// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package program

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"gwon/internal/expect"
)

// TestFlagsOfCommands: a flag after the command takes precedence over one before it, and both over the environment.
// A variable of the node's must not send "gwon removedb --datadir D" to another directory.
func TestFlagsOfCommands(t *testing.T) {
	t.Setenv("GWON_TEST_DATADIR", "environment")
	t.Setenv("GWON_TEST_WAIT", "3s")
	for _, tt := range []struct{ args, want string }{
		{"sub leaf", "environment 3s [] false"},
		{"--datadir before sub leaf", "before 3s [] false"},
		{"sub leaf --datadir after", "after 3s [] false"},
		{"--datadir before sub --datadir between leaf --datadir after", "after 3s [] false"},
		{"--datadir before sub --datadir between leaf", "between 3s [] false"},
		{"--wait 4s --list a,b --on sub leaf", "environment 4s [a b] true"},
		{"--wait 4s --list a sub leaf --wait 5s --list c --on=false", "environment 5s [c] false"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			flags := func(variables bool) []cli.Flag {
				dir, wait := &cli.PathFlag{Name: "datadir", Aliases: []string{"d"}}, &cli.DurationFlag{Name: "wait"}
				if variables {
					dir.EnvVars, wait.EnvVars = []string{"GWON_TEST_DATADIR"}, []string{"GWON_TEST_WAIT"}
				}
				return []cli.Flag{dir, wait, &cli.StringSliceFlag{Name: "list"}, &cli.BoolFlag{Name: "on"}}
			}
			have := ""
			leaf := &cli.Command{Name: "leaf", Flags: flags(false), Action: func(ctx *cli.Context) error {
				have = fmt.Sprint(ctx.Path("datadir"), " ", ctx.Duration("wait"), " ", ctx.StringSlice("list"), " ", ctx.Bool("on"))
				return nil
			}}
			app := &cli.App{
				Flags: flags(true), Writer: io.Discard,
				Commands: []*cli.Command{{
					Name: "sub", Flags: []cli.Flag{&cli.PathFlag{Name: "datadir"}}, Subcommands: []*cli.Command{leaf},
				}},
			}
			InheritFlags(app.Commands)
			err := app.Run(append([]string{"gwon"}, strings.Fields(tt.args)...))
			expect.That(t, err == nil && have == tt.want, "%q, error %v; want %q", have, err, tt.want)
		})
	}
}
