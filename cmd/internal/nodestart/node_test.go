// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package nodestart

import (
	"errors"
	"slices"
	"testing"

	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/apptest"
	"gwon/internal/expect"
	"gwon/internal/must"
	"gwon/internal/start"
)

// A start has one order: the disk has room before a database is opened, the network is chosen before a node exists,
// files are mended before go-ethereum reads them, and accounts are unlocked before an endpoint opens.
func TestStartOrder(t *testing.T) {
	var names []string
	for _, step := range new(nodeStart).steps() {
		names = append(names, step.Name)
	}
	want := []string{
		"read configuration", "apply profile", "open door", "register engine", "check disk space",
		"choose network", "open node key", "open data directory", "mend files",
		"configure service", "prepare chain", "unlock accounts", "register services", "serve chain",
		"register health probes",
		"hold early reads",
		"watch signals", "start services", "watch disk",
	}
	expect.Slice(t, names, want, "names")
}

// A start that fails gives the data directory back, whichever step fails.
func TestFailedStartUnwinds(t *testing.T) {
	data := t.TempDir()
	must.Get(run(t, "init", "--datadir", data, apptest.PrivateGenesis(t)))(t)
	fault := errors.New("fault")
	for _, fails := range []string{
		"check disk space", "choose network",
		"open node key", "open data directory", "mend files", "configure service", "prepare chain", "unlock accounts",
		"register services",
	} {
		t.Run(fails, func(t *testing.T) {
			expect.Error(t, withFlags(t, func(ctx *cli.Context) error {
				s := &nodeStart{ctx: ctx, Options: Options{Adopt: adoptNothing}, running: new(Running)}
				steps := s.steps()
				i := slices.IndexFunc(steps, func(step start.Step) bool { return step.Name == fails })
				steps[i].Run = func(*start.Closers) error { return fault }
				err := start.Run(steps, &s.running.closers)
				opened := i > slices.IndexFunc(steps,
					func(step start.Step) bool { return step.Name == "open data directory" })
				expect.That(t, opened == (s.running.Stack != nil), "node made: %v, want %v", s.running.Stack != nil, opened)
				return err
			}, "--datadir", data), fault, "refusal")
			apptest.Hold(t, data)()
		})
	}
}
