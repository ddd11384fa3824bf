// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package settings

import (
	"fmt"
	"os"

	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/program"
)

// DumpConfigCommand prints the configuration.
var DumpConfigCommand = &cli.Command{
	Name:      "dumpconfig",
	Usage:     "Print the configuration as TOML, for use with --config",
	ArgsUsage: "[file]",
	Flags:     NodeFlags(),
	Action:    dumpConfig,
}

func dumpConfig(ctx *cli.Context) error {
	path := ctx.Args().First()
	if err := program.RefuseExisting(path); err != nil {
		return err
	}
	cfg, upstream, err := Load(ctx)
	if err != nil {
		return err
	}
	if preset := FlaggedPreset(ctx); preset != nil {
		if err := cfg.ApplyPreset(preset); err != nil {
			return err
		}
	}
	if cfg, err = finished(cfg, upstream); err != nil {
		return err
	}
	cfg.Eth.Genesis = nil // the chain is in the data directory or named by a flag, not in this file
	text, err := Marshal(cfg)
	if err != nil {
		return fmt.Errorf("encode configuration: %w", err)
	}
	if path != "" {
		return os.WriteFile(path, text, 0o600)
	}
	_, err = ctx.App.Writer.Write(text)
	return err
}

// finished returns the configuration as NewStack finishes it, without touching the data directory.
func finished(cfg *Config, upstream *cli.Context) (*Config, error) {
	full := *cfg
	full.Node.DataDir, full.Node.IPCPath, full.Node.KeyStoreDir, full.Node.ExternalSigner = "", "", "", ""
	stack, err := NewStack(&full, upstream)
	if err != nil {
		return nil, err
	}
	full.Node = cfg.Node
	return &full, stack.Close()
}
