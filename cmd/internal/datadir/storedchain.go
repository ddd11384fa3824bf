// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package datadir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/node"
	"github.com/gofrs/flock"

	"gwon/cmd/internal/damage"
	"gwon/cmd/internal/settings"
	"gwon/internal/ancient"
	"gwon/operator/adopt"
	"gwon/params"
)

// StoredChain is the chain in a data directory; its zero value is none.
type StoredChain struct {
	Genesis common.Hash
	Config  *params.ChainConfig
	Head    uint64 // block number
	// NewestHeader is the number of the newest header, which may be above the head.
	NewestHeader uint64
	Newest       *types.Header // of that block; nil where it is in no database that was looked into

	Exists bool   // a database is there, perhaps without a chain
	lowest uint64 // block in the key-value store, where those below it are in the ancient store only; otherwise 0
	states uint64 // number of states that are on disk; 0 with another scheme
}

// CheckNetwork refuses the chain of a data directory that is not that of a network. A nil network refuses nothing.
func (c *StoredChain) CheckNetwork(network *params.Network, dir string) error {
	if network == nil || c.Genesis == (common.Hash{}) || c.Genesis == network.GenesisHash {
		return nil
	}
	return fmt.Errorf("the chain in %s has genesis block %v, not that of --%s (%v): give another --%s, or "+
		"leave --%[3]s out", dir, c.Genesis, network.Name, network.GenesisHash, settings.DataDirFlag.Name)
}

// Lock takes the data directory as a node does, for what changes its files without one. The error is that of a node, or
// of another command, that has it.
func Lock(cfg *settings.Config) (unlock func() error, err error) {
	lock := flock.New(cfg.Node.ResolvePath("LOCK"))
	switch locked, err := lock.TryLock(); {
	case err != nil:
		return nil, fmt.Errorf("lock the data directory: %w", err)
	case !locked:
		return nil, ExplainLock(cfg, node.ErrDatadirUsed)
	}
	return lock.Unlock, nil
}

// ExplainLock adds what to do to the error of a data directory that another process has.
func ExplainLock(cfg *settings.Config, err error) error {
	if !damage.IsLocked(err) {
		return err
	}
	return fmt.Errorf("a node, or another command, is running with the data directory %s: stop it first (%w)",
		cfg.Node.DataDir, err)
}

// ReadStoredChain looks into the data directory without changing it.
func ReadStoredChain(cfg *settings.Config) (chain StoredChain, err error) {
	if cfg.Node.DataDir == "" {
		return chain, nil
	}
	defer func() { err = ExplainLock(cfg, err) }()
	path := cfg.Node.ResolvePath("chaindata")
	if err := checkForeign(cfg, path); err != nil {
		return chain, err
	}
	if rawdb.PreexistingDatabase(path) == "" {
		return chain, withoutStore(path)
	}
	defer func() { chain.Exists = true }()
	// What is wanted stands in the key-value store. Opening the ancient store takes the longer the more blocks it has.
	if chain, err = readKeyValues(cfg, path); err != nil || chain.Genesis != (common.Hash{}) {
		return chain, err
	}
	key, err := crypto.GenerateKey() // without one the probe would write the node key
	if err != nil {
		return chain, fmt.Errorf("generate key: %w", err)
	}
	probe := node.Config{Name: cfg.Node.Name, DataDir: cfg.Node.DataDir, DBEngine: cfg.Node.DBEngine}
	probe.P2P.PrivateKey = key
	stack, err := node.New(&probe)
	if err != nil {
		return chain, fmt.Errorf("open data directory: %w", err)
	}
	options := node.DatabaseOptions{ReadOnly: true, AncientsDirectory: cfg.Eth.DatabaseFreezer}
	db, err := stack.OpenDatabaseWithOptions("chaindata", options)
	if err != nil {
		return chain, errors.Join(fmt.Errorf("open chain database: %w", err), stack.Close())
	}
	defer func() { err = errors.Join(err, db.Close(), stack.Close()) }()
	return storedChainOf(db, cfg.Node.DataDir)
}

// readKeyValues is ReadStoredChain without the ancient store: genesis is zero when it is only there.
func readKeyValues(cfg *settings.Config, path string) (chain StoredChain, err error) {
	db, err := OpenKeyValues(path, true)
	if err != nil {
		return chain, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if chain, err = storedChainOf(db, cfg.Node.DataDir); err == nil {
		chain.lowest, chain.states = lowestBlock(db), rawdb.ReadPersistentStateID(db)
	}
	return chain, err
}

// OpenKeyValues opens the key-value store of a chain database, for reading only if so asked.
func OpenKeyValues(path string, readOnly bool) (ethdb.Database, error) {
	open := func() (ethdb.KeyValueStore, error) { return adopt.OpenKeyValues(path, readOnly) }
	store, err := open()
	if err != nil {
		store, err = openWithoutOptions(path, open, err)
	}
	if err != nil {
		return nil, damage.OpenError(err)
	}
	return rawdb.NewDatabase(store), nil
}

// openWithoutOptions opens a key-value store again whose opening has failed, without the files of its former options,
// which it writes at each start. Where that does not help the files stay.
func openWithoutOptions(
	path string, open func() (ethdb.KeyValueStore, error), failed error,
) (ethdb.KeyValueStore, error) {
	files, err := filepath.Glob(filepath.Join(path, "OPTIONS-*[0-9]"))
	if err != nil || len(files) == 0 || !damage.IsDamage(failed) {
		return nil, failed
	}
	for _, file := range files {
		err = errors.Join(err, os.Rename(file, file+ancient.Damaged))
	}
	store, again := open()
	if errors.Join(err, again) == nil {
		log.Warn("Options of the chain database set aside", "reason", failed, "kept", files[len(files)-1]+ancient.Damaged)
		return store, nil
	}
	for _, file := range files {
		err = errors.Join(err, os.Rename(file+ancient.Damaged, file))
	}
	return nil, errors.Join(failed, err)
}

// storedChainOf reads which chain a database holds.
func storedChainOf(db ethdb.Reader, dataDir string) (chain StoredChain, err error) {
	if err := checkDatabaseVersion(db, dataDir); err != nil {
		return chain, err
	}
	chain.Genesis = rawdb.ReadCanonicalHash(db, 0)
	chain.Config = rawdb.ReadChainConfig(db, chain.Genesis)
	if number, ok := rawdb.ReadHeaderNumber(db, rawdb.ReadHeadBlockHash(db)); ok {
		chain.Head, chain.Newest = number, rawdb.ReadHeader(db, rawdb.ReadHeadBlockHash(db), number)
	}
	chain.NewestHeader = chain.Head
	if number, ok := rawdb.ReadHeaderNumber(db, rawdb.ReadHeadHeaderHash(db)); ok {
		chain.NewestHeader = max(chain.Head, number)
	}
	return chain, nil
}

// checkDatabaseVersion refuses a chain database that another or a newer program has written: this one would damage it.
func checkDatabaseVersion(db ethdb.Reader, dataDir string) error {
	if adopt.IsForeign(db) {
		return foreignError(dataDir)
	}
	version := rawdb.ReadDatabaseVersion(db)
	if version == nil || *version <= gethcore.BlockChainVersion {
		return nil
	}
	return fmt.Errorf("the database in %s has version %d, this program knows %d: a newer gwon has written it. Run that "+
		"one, or give another --%s", dataDir, *version, gethcore.BlockChainVersion, settings.DataDirFlag.Name)
}
