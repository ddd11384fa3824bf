// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package settings

import (
	"fmt"
	"os"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/urfave/cli/v2"
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
	cfg, upstream, err := Load(ctx)
	if err != nil {
		return err
	}
	if preset := FlaggedPreset(ctx); preset != nil {
		if err := cfg.ApplyPreset(preset); err != nil {
			return err
		}
	}
	utils.SetMetricsConfig(upstream, &cfg.Metrics)
	ethSection, err := staticEthConfig(cfg, upstream)
	if err != nil {
		return err
	}
	cfg.Eth = ethSection
	cfg.Eth.Genesis = nil // the chain is in the data directory or named by a flag, not in this file
	text, err := Marshal(cfg)
	if err != nil {
		return fmt.Errorf("encode configuration: %w", err)
	}
	if path := ctx.Args().First(); path != "" {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			return fmt.Errorf("write configuration: %w", err)
		}
		return nil
	}
	_, err = ctx.App.Writer.Write(text)
	return err
}

// staticEthConfig returns section Eth as NewStack would finish it, without touching the data directory.
func staticEthConfig(cfg *Config, upstream *cli.Context) (ethconfig.Config, error) {
	memory := cfg.Node
	memory.DataDir, memory.IPCPath, memory.KeyStoreDir, memory.ExternalSigner = "", "", "", ""
	scratch := *cfg
	scratch.Node = memory
	stack, err := NewStack(&scratch, upstream)
	if err != nil {
		return ethconfig.Config{}, err
	}
	return scratch.Eth, stack.Close()
}
