// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package remotegenesis

import (
	"io"
	"path/filepath"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	gethparams "github.com/ethereum/go-ethereum/params"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/program"
	"gwon/cmd/internal/remotechain"
	"gwon/consensus/finality/remotestate"
	"gwon/contracts/store"
	"gwon/core"
	"gwon/params"
)

// Chain is a chain that is read from nodes, with its genesis block.
type Chain struct {
	*remotechain.Chain
	Genesis *gethcore.Genesis // its code may be missing
	Header  *types.Header     // of the genesis block
}

// Open opens the chain that the flags of a choice describe. Bounds of its reader are those of the options.
func Open(ctx *cli.Context, f *remotechain.Choice, options remotestate.Options) (*Chain, error) {
	return OpenAt(ctx, f, ctx.StringSlice(f.URL), f.Cache(ctx), options)
}

// OpenAt opens the chain at endpoints that others name, and keeps what was proven in a directory.
func OpenAt(ctx *cli.Context, f *remotechain.Choice, urls []string, dir string, options remotestate.Options) (
	*Chain, error,
) {
	code, err := store.Search(CodeDirs()...)
	if err != nil {
		return nil, err
	}
	c := new(Chain)
	describe := func(given *gethcore.Genesis) (*gethparams.ChainConfig, common.Hash, error) {
		genesis, info, err := core.DescribeGenesis(given, code)
		if err != nil {
			return nil, common.Hash{}, err
		}
		c.Genesis, c.Header = genesis, info.Header
		return given.Config, info.Hash, nil
	}
	read := func(file io.Reader) (*gethparams.ChainConfig, common.Hash, error) {
		given, err := core.ReadGenesis(file)
		if err != nil {
			return nil, common.Hash{}, err
		}
		return describe(given)
	}
	c.Chain, err = f.OpenAt(ctx, urls, 0, dir, options, read)
	if err != nil || c.Genesis != nil {
		return c, err
	}
	network, _ := params.NetworkByID(c.Config.ChainID.Uint64()) // there is no file
	_, _, err = describe(core.NetworkGenesis(network))
	return c, err
}

// CodeDirs returns the directories of contract code in the default data directories.
func CodeDirs() []string {
	dir := program.DefaultDataDir()
	if dir == "" {
		return nil
	}
	return []string{
		filepath.Join(dir, program.Name, "contracts"), filepath.Join(dir, "testnet", program.Name, "contracts"),
	}
}
