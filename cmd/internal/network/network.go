// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package network

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/datadir"
	"gwon/cmd/internal/settings"
	"gwon/eth/codefetch"
	"gwon/params"
)

// ErrNoNetwork is what a start without network and without chain is answered with. There is no default network:
// guessing one has sent private nodes to public ones (spec rpc 11 no. 30).
var ErrNoNetwork = errors.New(`no network chosen and no chain in the data directory; choose one:
  gwon --testnet            the WKRC testnet (8283)
  gwon --mainnet            the WKRC mainnet (8282)
  gwon init genesis.json    a network of your own, then start again
  gwon-dev node             one validator in memory, for development
  gwon-dev devnet           a local network of several validators`)

// Chosen is the chain that a node runs.
type Chosen struct {
	preset   *params.Network // nil for a network of one's own
	stored   datadir.StoredChain
	patience time.Duration // with peers that give no code
}

// isNew reports whether the genesis block is still to be made.
func (n *Chosen) isNew() bool { return n.stored.Genesis == (common.Hash{}) }

// MendFiles is datadir's for the stored chain.
func (n *Chosen) MendFiles(cfg *settings.Config) error { return n.stored.MendFiles(cfg) }

// Select decides which chain the node runs, by flag and by what the data directory holds, before the node
// exists: its boot nodes depend on the answer. Private networks get no boot nodes.
func Select(ctx *cli.Context, cfg *settings.Config) (*Chosen, error) {
	if err := settings.CheckNetworkFlags(ctx); err != nil {
		return nil, err
	}
	stored, err := datadir.ReadStoredChain(cfg)
	if err != nil {
		return nil, err
	}
	n := &Chosen{settings.FlaggedPreset(ctx), stored, codefetch.DefaultPatience}
	switch {
	case n.preset == nil && n.isNew() && stored.Exists:
		return nil, fmt.Errorf("the database in %s has no genesis block, as gwon init leaves it when it is interrupted: "+
			"give the same gwon init again", cfg.Node.DataDir)
	case n.preset == nil && n.isNew():
		return nil, ErrNoNetwork
	case n.preset == nil:
		i := slices.IndexFunc(params.Networks(), func(n params.Network) bool { return n.GenesisHash == stored.Genesis })
		if i < 0 {
			return n, nil
		}
		n.preset = &params.Networks()[i]
	default:
		if err := stored.CheckNetwork(n.preset, cfg.Node.DataDir); err != nil {
			return nil, err
		}
	}
	if err := n.updateRules(cfg); err != nil {
		return nil, err
	}
	if err := cfg.ApplyPreset(n.preset); err != nil {
		return nil, err
	}
	return n, nil
}
