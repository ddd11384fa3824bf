// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package network

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/ethereum/go-ethereum/cmd/utils"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/node"

	"gwon/cmd/internal/datadir"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/contracts/store"
	"gwon/core"
	"gwon/eth/codefetch"
	"gwon/params"
)

// canFetchCode reports whether there is a place for code from peers, and anybody to ask. Without discovery the boot
// nodes are asked all the same.
func canFetchCode(cfg *settings.Config) bool {
	return cfg.Node.DataDir != "" && codefetch.CanAsk(&cfg.Node.P2P)
}

// Prepare makes the genesis block of a new chain, with contract code from the peers of a public network if need be. A
// new chain does not start without the code of its genesis block. It returns the code of upgrades to come that is still
// missing, and warns of it: the chain stops there only, and the running node asks its peers.
func (n *Chosen) Prepare(
	ctx context.Context, cfg *settings.Config, stack *node.Node, store *store.Store,
) ([]core.MissingCode, error) {
	missing, err := n.missing(store.Source())
	if err != nil {
		return nil, err
	}
	if len(missing) > 0 && n.isNew() && canFetchCode(cfg) {
		chain, err := codefetch.PublicChain(*n.preset)
		if err != nil {
			return nil, err
		}
		if cfg.Eth.NetworkId != 0 {
			chain.NetworkID = cfg.Eth.NetworkId
		}
		err = supplyCode(ctx, codefetch.Config{
			P2P: stack.Server().Config, Chain: chain, Missing: missing, Store: store, Patience: n.patience,
		})
		if err != nil {
			return nil, n.explain(err, cfg.Node.DataDir)
		}
		if missing, err = n.missing(store.Source()); err != nil {
			return nil, err
		}
	}
	if n.isNew() {
		if cfg.Eth.Genesis, err = Genesis(n.preset, store.Source()); err != nil {
			return nil, n.withoutCode(err, cfg)
		}
	}
	WarnOfMissing(missing, cfg.Node.DataDir != "")
	return missing, nil
}

// missing returns the code that the chain still needs and codes lacks.
func (n *Chosen) missing(codes core.CodeSource) ([]core.MissingCode, error) {
	switch {
	case n.isNew():
		return core.FindMissingCode(n.preset.Config(), codes)
	case n.stored.Config == nil:
		return nil, nil // the node itself says what is wrong with such a database
	default:
		return MissingAfter(n.stored.Config, n.stored.Head, codes)
	}
}

// explain completes the error of a chain that cannot start because no peer gave its code.
func (n *Chosen) explain(err error, dataDir string) error {
	if !errors.Is(err, codefetch.ErrNotServed) {
		return err
	}
	return fmt.Errorf("genesis block of --%s: %w: check the connection to the internet, "+
		"or import the code with: gwon contracts import --%s %q FILE", n.preset.Name, err, settings.DataDirFlag.Name, dataDir)
}

// withoutCode returns the error of a new chain whose code is missing and cannot be asked for, as there are no peers.
func (n *Chosen) withoutCode(err error, cfg *settings.Config) error {
	if !errors.Is(err, core.ErrMissingCode) {
		return err
	}
	if canFetchCode(cfg) {
		return datadir.WithImportHint(err, cfg.Node.DataDir)
	}
	return fmt.Errorf("the contract code of the genesis block of --%s is missing, and there is no peer to ask: leave "+
		"--%s \"\" out, or import it with: gwon contracts import --%s %q FILE", n.preset.Name, utils.BootnodesFlag.Name,
		settings.DataDirFlag.Name, cfg.Node.DataDir)
}

// supplyCode asks peers for code until that of the genesis block is in the store, or a signal comes. The error tells
// how many peers were asked.
func supplyCode(ctx context.Context, cfg codefetch.Config) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	asked, err := codefetch.Fetch(ctx, cfg)
	switch {
	case err == nil:
		log.Info("The contract code of the genesis block is here", "peersAsked", asked)
		return nil
	case errors.Is(err, context.Canceled):
		log.Info("Interrupted while asking peers for contract code", "peersAsked", asked)
		return program.ErrInterrupted
	case errors.Is(err, codefetch.ErrNotServed):
		return fmt.Errorf("%w; peers asked: %d", err, asked)
	default:
		return err
	}
}

// MissingAfter returns the code of upgrades after a block that codes lacks.
func MissingAfter(cfg *params.ChainConfig, block uint64, codes core.CodeSource) ([]core.MissingCode, error) {
	missing, err := core.FindMissingCode(cfg, codes)
	return slices.DeleteFunc(missing, func(m core.MissingCode) bool { return m.Block <= block }), err
}

// WarnOfMissing tells of upgrades that the chain cannot pass. asking says whether the node goes on asking peers.
func WarnOfMissing(later []core.MissingCode, asking bool) {
	remedy := "supply it with gwon contracts import"
	if asking {
		remedy = "peers are asked for it, or " + remedy
	}
	if len(later) > 0 {
		log.Warn("The chain will stop at an upgrade whose code is missing; "+remedy, "block", later[0].Block, "contracts",
			datadir.CodeNames(later))
	}
}

// Genesis builds the genesis of a public network. It fails when code is missing that the network has at its
// genesis, since the block would be another one.
func Genesis(n *params.Network, codes core.CodeSource) (*gethcore.Genesis, error) {
	genesis, _, err := core.BuildGenesis(core.NetworkGenesis(*n), codes)
	if err != nil {
		return nil, fmt.Errorf("genesis block of --%s: %w", n.Name, err)
	}
	if hash := genesis.ToBlock().Hash(); hash != n.GenesisHash {
		return nil, fmt.Errorf("genesis block of --%s comes out as %v instead of %v", n.Name, hash, n.GenesisHash)
	}
	return genesis, nil
}
