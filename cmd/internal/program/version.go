// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package program

import (
	_ "embed"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/cmd/bridge"
	"github.com/urfave/cli/v2"

	"gwon/internal/completion"
	"gwon/internal/release"
)

// Commands returns the commands of a program by name: its own, and those that every program has.
func Commands(name string, own ...*cli.Command) []*cli.Command {
	all := append(slices.Clone(own), completion.Command(name), licenseCommand, manualCommand, versionCommand)
	slices.SortFunc(all, func(a, b *cli.Command) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// manualCommand prints the manual page in section 8, in the format of man. A release is built with it.
var manualCommand = &cli.Command{
	Name:   "man",
	Usage:  "Print the manual page",
	Hidden: true,
	Action: func(ctx *cli.Context) error {
		page, err := ctx.App.ToManWithSection(8)
		if err != nil {
			return fmt.Errorf("make manual page: %w", err)
		}
		if home, err := os.UserHomeDir(); err == nil && home != "/" {
			page = strings.ReplaceAll(page, home, "~") // it differs between machines
		}
		_, err = io.WriteString(ctx.App.Writer, page)
		return err
	},
}

var versionCommand = &cli.Command{
	Name:  "version",
	Usage: "Print version numbers",
	Flags: []cli.Flag{JSONFlag},
	Action: func(ctx *cli.Context) error {
		v := map[string]string{
			"name": ctx.App.Name, "version": release.Version(), "goEthereum": bridge.UpstreamVersion(),
			"architecture": runtime.GOARCH, "goVersion": runtime.Version(), "operatingSystem": runtime.GOOS,
		}
		return Print(ctx, v, func() error {
			_, err := fmt.Fprintf(ctx.App.Writer, "%s\nVersion: %s\ngo-ethereum: %s\nArchitecture: %s\n"+
				"Go Version: %s\nOperating System: %s\n", v["name"], v["version"], v["goEthereum"], v["architecture"],
				v["goVersion"], v["operatingSystem"])
			return err
		})
	},
}

//go:embed license.txt
var license string

var licenseCommand = &cli.Command{
	Name:  "license",
	Usage: "Display license information",
	Action: func(ctx *cli.Context) error {
		_, err := io.WriteString(ctx.App.Writer, license)
		return err
	},
}
