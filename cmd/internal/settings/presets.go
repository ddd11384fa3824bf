// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package settings

import (
	"fmt"
	"strings"

	"github.com/ethereum/go-ethereum/p2p/enode"
	"github.com/urfave/cli/v2"

	"gwon/params"
)

// FlaggedPreset returns the public network that a flag names, or nil.
func FlaggedPreset(ctx *cli.Context) *params.Network {
	for _, f := range []*cli.BoolFlag{MainnetFlag, TestnetFlag} {
		if !ctx.Bool(f.Name) {
			continue
		}
		if n, ok := params.NetworkByName(f.Name); ok {
			return &n
		}
	}
	return nil
}

// CheckNetworkFlags refuses two networks at once.
func CheckNetworkFlags(ctx *cli.Context) error {
	var given []string
	for _, f := range []*cli.BoolFlag{MainnetFlag, TestnetFlag} {
		if ctx.Bool(f.Name) {
			given = append(given, "--"+f.Name)
		}
	}
	if len(given) > 1 {
		return fmt.Errorf("%s exclude each other", strings.Join(given, " and "))
	}
	return nil
}

// ApplyPreset gives a node of a public network its peers, unless flag or file named others.
func (cfg *Config) ApplyPreset(n *params.Network) error {
	if !cfg.Gwon.presetBootnodes {
		return nil
	}
	nodes := make([]*enode.Node, 0, len(n.Bootnodes))
	for _, url := range n.Bootnodes {
		parsed, err := enode.Parse(enode.ValidSchemes, url)
		if err != nil {
			return fmt.Errorf("boot node %s: %w", url, err)
		}
		nodes = append(nodes, parsed)
	}
	cfg.Node.P2P.BootstrapNodes = nodes
	return nil
}
