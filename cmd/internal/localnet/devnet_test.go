// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package localnet

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/apptest"
	"gwon/cmd/internal/settings"
	"gwon/dev/devnet"
)

// A devnet whose vote logs are all lost goes on with --validator.signfrom, from the command line or the environment,
// and the command that is advised is the one that continues the same network.
func TestDevnetSignFrom(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a network")
	options := func(args ...string) (o devnet.Options) {
		t.Helper()
		command := *Command
		command.Action = func(ctx *cli.Context) error { o = devnetOptions(ctx, dir); return nil }
		if _, err := apptest.Run(t, settings.NewApp([]*cli.Command{&command}), args...); err != nil {
			t.Fatal(err)
		}
		return o
	}
	if o := options("devnet"); o.SignFrom != 0 || !strings.HasSuffix(o.Command, " devnet --datadir '"+dir+"'") {
		t.Errorf("by default: %d, %s", o.SignFrom, o.Command)
	}
	o := options("devnet", "--validators", "7", "--period", "2s", "--quiet", "--validator.signfrom", "5")
	if o.SignFrom != 5 || !strings.HasSuffix(o.Command, " devnet --datadir '"+dir+"' --validators 7 --period 2s") {
		t.Errorf("by flag: %d, %s", o.SignFrom, o.Command)
	}
	flag := *settings.SignFromFlag // what is read from the environment becomes its default, for all tests
	t.Cleanup(func() { *settings.SignFromFlag = flag })
	t.Setenv("GWON_VALIDATOR_SIGNFROM", "6")
	if o := options("devnet"); o.SignFrom != 6 {
		t.Errorf("by the environment: %d", o.SignFrom)
	}
}
