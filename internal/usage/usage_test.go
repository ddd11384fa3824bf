// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package usage

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"gwon/internal/expect"
	"gwon/internal/must"
)

// call runs a line of a small program, and returns the flags and arguments that its command "do it" has got.
func call(words []string) (got string, err error) {
	app := &cli.App{
		Name: "prog", Writer: io.Discard, ErrWriter: io.Discard, Flags: []cli.Flag{&cli.StringFlag{Name: "dir"}},
		Commands: []*cli.Command{{Name: "do", Subcommands: []*cli.Command{{
			Name: "it", ArgsUsage: "A B", Flags: []cli.Flag{
				&cli.StringFlag{Name: "to", Required: true}, &cli.Uint64Flag{Name: "id", Required: true},
				&cli.BoolFlag{Name: "json"}, &cli.StringSliceFlag{Name: "at"},
			},
			Action: func(ctx *cli.Context) error {
				got = fmt.Sprint(ctx.String("dir"), ctx.String("to"), ctx.Bool("json"), ctx.Uint64("id"), ctx.StringSlice("at"),
					ctx.Args().Slice())
				return nil
			},
		}}}},
	}
	Brief(app.Commands)
	return got, app.Run(append([]string{"prog"}, words...))
}

// The call that is proposed where flags stand behind an argument has all words that were given, and works.
func TestProposedCall(t *testing.T) {
	right := "prog do it --to x --json --id 7 --at 1 --at 2 a b"
	for _, line := range []string{
		"do it --to x --json a b --id 7 --at 1 --at 2", "do it a b --to x --id 7 --json --at 1 --at 2",
		"do it --to=x a --json b --id=7 --at 1,2", "do it --id 7 --at 1 a --to x --at 2 --json b",
		"--dir /d do it --to x a b --id 7 --json --at 1 --at 2",
	} {
		t.Run(line, func(t *testing.T) {
			_, err := call(strings.Fields(line))
			must.That(t, err != nil, "accepted")
			_, proposed, found := strings.Cut(err.Error(), "flags stand before the arguments: prog ")
			must.That(t, found, "%v", err)
			want := must.Get(call(strings.Fields(strings.TrimPrefix(right, "prog "))))(t)
			if strings.HasPrefix(line, "--dir") {
				want = "/d" + want
			}
			got, err := call(strings.Fields(proposed))
			expect.That(t, err == nil && got == want, "%s: %s, %v, want %s", proposed, got, err, want)
		})
	}
}

// What is wrong with a call is named, and no question is asked without a name in it.
func TestWrongCalls(t *testing.T) {
	for line, want := range map[string]string{
		"do it a b":                        "give --to and --id; see prog do it --help",
		"do it --to x a b":                 "give --id; see prog do it --help",
		"do it --id 7 --to x -1":           "-1 is no flag, and a number below zero is no value here; see prog do it --help",
		"do it --id 7 --to x --xyz a":      "flag provided but not defined: -xyz; see prog do it --help",
		"do it --id 7 --to x --jsn a":      "flag provided but not defined: -jsn; did you mean --json? see prog do it --help",
		"do it --id 7 --to x a -1coins":    "",
		"do it --id 7 --to x -- a --other": "",
	} {
		t.Run(line, func(t *testing.T) {
			_, err := call(strings.Fields(line))
			if want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
				t.Errorf("%v, want %s", err, want)
			}
		})
	}
	got, err := call(strings.Fields("do it --id 7 --to x a -1"))
	expect.That(t, err == nil && slices.Contains(strings.Fields(got), "-1]"), "%s, %v", got, err)
}
