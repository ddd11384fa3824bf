// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package testnode

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"strings"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/history"
	"github.com/ethereum/go-ethereum/log"
	gethparams "github.com/ethereum/go-ethereum/params"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/datadir"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/remotechain"
	"gwon/cmd/internal/remotegenesis"
	"gwon/cmd/internal/settings"
	"gwon/consensus/finality/remotestate"
	"gwon/dev/devchain"
	"gwon/internal/txobject"
	"gwon/params"
)

// maxPrefetched bounds the accounts of a file that are read at the start.
const maxPrefetched = 10_000

var (
	forkBlockFlag = &cli.Uint64Flag{
		Name:  "fork.block",
		Usage: "Number of the block that is continued (default: the newest)",
	}
	forkPrefetchFlag = &cli.PathFlag{
		Name:  "fork.prefetch",
		Usage: "File with addresses, one a line, whose accounts and code are read at the start",
	}
)

// checkForkFlags refuses flags that mean nothing together.
func checkForkFlags(ctx *cli.Context) error {
	if !ctx.IsSet(remotechain.Fork.URL) {
		name := remotechain.Fork.Needless(ctx)
		for _, f := range []cli.Flag{forkBlockFlag, forkPrefetchFlag} {
			if ctx.IsSet(f.Names()[0]) {
				name = f.Names()[0]
			}
		}
		if name != "" {
			return fmt.Errorf("--%s says how a network is continued: give its endpoint with --%s", name, remotechain.Fork.URL)
		}
		return nil
	}
	for _, f := range []struct{ name, remedy string }{
		{stateFlag.Name, "a forked chain is in memory, and what it has read stays in --fork.cache"},
		{allocFlag.Name, "evm_setBalance and evm_setCode change accounts"},
		{datadir.ContractsVersionFlag.Name, "the network brings its contracts"},
	} {
		if ctx.IsSet(f.name) {
			return fmt.Errorf("--%s has no meaning with --%s: leave it out, for %s", f.name, remotechain.Fork.URL, f.remedy)
		}
	}
	return nil
}

// openFork opens the network that flags name. It gives the configuration the genesis of that network.
func (c *Chain) openFork(cfg *settings.Config) (*devchain.Fork, error) {
	ctx := c.ctx
	remote, err := remotegenesis.Open(ctx, remotechain.Fork, remotestate.Options{})
	if err != nil {
		return nil, err
	}
	c.remote = remote
	config, err := forkedConfig(ctx, remote.Config)
	if err != nil {
		return nil, err
	}
	var number *uint64
	if ctx.IsSet(forkBlockFlag.Name) {
		number = new(ctx.Uint64(forkBlockFlag.Name))
	}
	url := ctx.StringSlice(remotechain.Fork.URL)[0]
	fork, err := devchain.OpenFork(ctx.Context, remote.Reader, url, config, remote.Header, number)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", remotechain.Fork.URL, remote.Explain(err))
	}
	if err := prefetch(ctx.Context, fork, ctx.Path(forkPrefetchFlag.Name)); err != nil {
		return nil, err
	}
	genesis := *remote.Genesis
	genesis.Config = config
	cfg.Eth.Genesis, cfg.Eth.NetworkId, cfg.Eth.SnapshotCache = &genesis, config.ChainID.Uint64(), 0
	earliest := fork.Earliest()
	cfg.Eth.HistoryMode = history.HistoryPolicy{Mode: history.KeepCustom, Target: &earliest}
	return fork, nil
}

// forkedConfig returns the rules of the network, with another chain ID if one is given.
func forkedConfig(ctx *cli.Context, network *gethparams.ChainConfig) (*gethparams.ChainConfig, error) {
	encoded, err := json.Marshal(network)
	if err != nil {
		return nil, fmt.Errorf("copy the configuration: %w", err)
	}
	config := new(gethparams.ChainConfig)
	if err := json.Unmarshal(encoded, config); err != nil {
		return nil, fmt.Errorf("copy the configuration: %w", err)
	}
	if ctx.IsSet(chainIDFlag.Name) {
		config.ChainID = new(big.Int).SetUint64(ctx.Uint64(chainIDFlag.Name))
	}
	if id := config.ChainID.Uint64(); id == params.MainnetChainID {
		log.Warn("Transactions signed for this chain are valid on the mainnet too", "id", id,
			"remedy", "give another --"+chainIDFlag.Name)
	}
	return config, nil
}

// prefetch reads the accounts of a file.
func prefetch(ctx context.Context, fork *devchain.Fork, name string) (err error) {
	if name == "" {
		return nil
	}
	file, err := os.Open(program.ExpandHome(name))
	if err != nil {
		return fmt.Errorf("--%s: %w", forkPrefetchFlag.Name, err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	var accounts []common.Address
	lines := bufio.NewScanner(file)
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		address, err := txobject.ParseAddress(line)
		if err == nil && len(accounts) == maxPrefetched {
			err = fmt.Errorf("more than %d addresses are given", maxPrefetched)
		}
		if err != nil {
			return fmt.Errorf("--%s %s: line %d: %w", forkPrefetchFlag.Name, name, number, err)
		}
		accounts = append(accounts, address)
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("--%s %s: %w", forkPrefetchFlag.Name, name, err)
	}
	if err := fork.Prefetch(ctx, accounts); err != nil {
		return fmt.Errorf("--%s %s: %w", forkPrefetchFlag.Name, name, err)
	}
	return nil
}

// closeFork ends the reading of the network.
func (c *Chain) closeFork() error {
	if c.remote == nil {
		return nil
	}
	return c.remote.Reader.Close()
}
