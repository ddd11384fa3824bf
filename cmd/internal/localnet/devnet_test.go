// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package localnet

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/apptest"
	"gwon/cmd/internal/settings"
	"gwon/dev/devnet"
	"gwon/internal/expect"
	"gwon/internal/must"
)

// A devnet whose vote logs are all lost goes on with --validator.signfrom, from the command line or the environment,
// and the command that is advised is the one that continues the same network.
func TestDevnetSignFrom(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a network")
	options := func(args ...string) (o devnet.Options) {
		t.Helper()
		command := *Command
		command.Action = func(ctx *cli.Context) error { o = devnetOptions(ctx, dir); return nil }
		must.Get(apptest.Run(t, settings.NewApp([]*cli.Command{&command}), args...))(t)
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
	expect.Equal(t, options("devnet").SignFrom, 6, "by the environment")
}

// What a devnet prints about its end and its console names its own ports and flags.
func TestDevnetHints(t *testing.T) {
	info := &devnet.Info{RPC: "http://127.0.0.1:7000", Command: "gwon-dev devnet --http.port 7000"}
	var text strings.Builder
	must.Do(t, writeInfo(&text, info, "/other/gwon", true))
	for _, want := range []string{info.Command + " continues it", "/other/gwon attach " + info.RPC} {
		expect.Contains(t, text.String(), want, "the text lacks %q:\n%s", want, &text)
	}
}

// listens matches a port on which a command of a page listens.
var listens = regexp.MustCompile(`--[a-z.]*port ([0-9]+)`)

// What a page starts beside a devnet uses none of the ports that the devnet has by default.
func TestPagesUseFreePorts(t *testing.T) {
	taken := []int{devnetPortFlag.Value + devnetSponsorPort, devnetPortFlag.Value + pagePort}
	for i := range devnetValidatorsFlag.Value {
		taken = append(taken, devnetPortFlag.Value+i)
	}
	found := 0
	look := func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".md" {
			return err
		}
		text, err := os.ReadFile(path)
		for _, match := range listens.FindAllStringSubmatch(string(text), -1) {
			found++
			port, err := strconv.Atoi(match[1])
			expect.That(t, err == nil && !slices.Contains(taken, port), "%s: %s is in use by a devnet", path, match[0])
		}
		return err
	}
	for _, pages := range []string{"start", "develop"} {
		expect.Error(t, filepath.WalkDir(filepath.Join("..", "..", "..", "docs", pages), look), nil, "filepath.WalkDir")
	}
	expect.That(t, found >= 2, "%d ports", found)
}
