// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package datadir

import (
	"errors"
	"fmt"
	"os"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/vm"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/node"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/damage"
	"gwon/cmd/internal/settings"
	"gwon/eth"
)

// Database is the chain database of an open data directory.
type Database struct {
	Config *settings.Config
	Stack  *node.Node
	DB     ethdb.Database
}

// Close gives the data directory back.
func (d *Database) Close() error { return errors.Join(d.DB.Close(), d.Stack.Close()) }

// OpenDB opens the data directory and the chain database in it. A database that is not there is made unless mustExist.
func OpenDB(ctx *cli.Context, readOnly, mustExist bool) (*Database, error) {
	cfg, upstream, err := settings.Load(ctx)
	if err != nil {
		return nil, err
	}
	if cfg.Node.DataDir == "" {
		return nil, errors.New("no data directory: give --datadir")
	}
	stored, err := ReadStoredChain(cfg) // before anything is opened for writing
	if err != nil {
		return nil, err
	}
	if mustExist && !stored.Exists {
		return nil, fmt.Errorf("there is no chain in %s: run gwon init with a genesis file first, "+
			"or name another directory with --%s", cfg.Node.DataDir, settings.DataDirFlag.Name)
	}
	if err := stored.CheckNetwork(settings.FlaggedPreset(ctx), cfg.Node.DataDir); err != nil {
		return nil, err
	}
	if err := cfg.SpareNodeKey(); err != nil {
		return nil, err
	}
	stack, err := settings.NewStack(cfg, upstream)
	if err != nil {
		return nil, err
	}
	guard := settings.NewDiskGuard(ctx, cfg)
	if readOnly {
		err = stored.CheckFiles(cfg)
	} else if err = guard.Check(); err == nil {
		err = stored.MendFiles(cfg)
	}
	if err != nil {
		return nil, errors.Join(err, stack.Close())
	}
	opened := &Database{Config: cfg, Stack: stack}
	defer guard.TellSlow()()
	err = damage.WithoutTable(func() (err error) {
		opened.DB, err = stack.OpenDatabaseWithOptions("chaindata", node.DatabaseOptions{
			ReadOnly:          readOnly,
			Cache:             cfg.Eth.DatabaseCache,
			Handles:           cfg.Eth.DatabaseHandles,
			AncientsDirectory: cfg.Eth.DatabaseFreezer,
			EraDirectory:      cfg.Eth.DatabaseEra,
		})
		return err
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open chain database: %w", damage.ExplainFiles(err)), stack.Close())
	}
	return opened, nil
}

// Chain is the chain of an open data directory.
type Chain struct {
	*Database
	Chain *gethcore.BlockChain
}

// Close stops the chain and gives the data directory back.
func (c *Chain) Close() error {
	c.Chain.Stop()
	return errors.Join(journal(c.Config).Seal(), c.Database.Close())
}

// OpenChain opens the chain of an initialized data directory with its engine, without network.
func OpenChain(ctx *cli.Context, readOnly bool) (*Chain, error) {
	opened, err := OpenDB(ctx, readOnly, true)
	if err != nil {
		return nil, err
	}
	chain, err := opened.chain(readOnly)
	if err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	return &Chain{opened, chain}, nil
}

func (d *Database) chain(readOnly bool) (*gethcore.BlockChain, error) {
	cfg, db := d.Config, d.DB
	if rawdb.ReadCanonicalHash(db, 0) == (common.Hash{}) {
		return nil, fmt.Errorf("there is no chain in %s: run gwon init first", cfg.Node.DataDir)
	}
	codes, err := cfg.CodeStore()
	if err != nil {
		return nil, err
	}
	eth.RegisterEngine(codes.Source())
	chainConfig, _, err := gethcore.LoadChainConfig(db, nil)
	if err != nil {
		return nil, fmt.Errorf("read chain configuration: %w", err)
	}
	engine, err := ethconfig.CreateConsensusEngine(chainConfig, db)
	if err != nil {
		return nil, fmt.Errorf("create consensus engine: %w", err)
	}
	scheme, err := rawdb.ParseStateScheme(cfg.Eth.StateScheme, db)
	if err != nil {
		return nil, err
	}
	options := gethcore.DefaultConfig()
	options.TrieCleanLimit = cfg.Eth.TrieCleanCache
	options.TrieDirtyLimit = cfg.Eth.TrieDirtyCache
	options.TrieTimeLimit = cfg.Eth.TrieTimeout
	options.TrieJournalDirectory = d.Stack.ResolvePath("triedb")
	options.NoPrefetch = cfg.Eth.NoPrefetch
	options.ArchiveMode = cfg.Eth.NoPruning
	options.Preimages = cfg.Eth.Preimages
	options.StateScheme = scheme
	options.StateHistory = cfg.Eth.StateHistory
	options.TrienodeHistory = cfg.Eth.TrienodeHistory // left out it would mean all of it
	options.NodeFullValueCheckpoint = cfg.Eth.NodeFullValueCheckpoint
	options.SnapshotLimit = cfg.Eth.SnapshotCache
	options.SnapshotNoBuild = readOnly
	options.TxLookupLimit = -1 // the node keeps the index
	options.VmConfig = vm.Config{EnablePreimageRecording: cfg.Eth.EnablePreimageRecording}
	chain, err := gethcore.NewBlockChain(db, nil, engine, options)
	if err != nil {
		return nil, fmt.Errorf("open chain: %w", err)
	}
	return chain, nil
}

// IsDir reports whether a path is that of a directory.
func IsDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
