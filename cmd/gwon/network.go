// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/ethdb/leveldb"
	"github.com/ethereum/go-ethereum/ethdb/pebble"
	"github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/p2p/enode"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/program"
	"gwon/eth/codefetch"
	"gwon/params"
)

// errNoNetwork is what a start without network and without chain is answered with. There is no default network: guessing
// one has sent private nodes to public ones (spec rpc 11 no. 30).
var errNoNetwork = errors.New(`no network chosen and no chain in the data directory; choose one:
  gwon --testnet            the WKRC testnet (8283)
  gwon --mainnet            the WKRC mainnet (8282)
  gwon init genesis.json    a network of your own, then start again
  gwon --dev                one validator in memory, for development
  gwon devnet               a local network of several validators`)

// flaggedPreset returns the public network that a flag names, or nil.
func flaggedPreset(ctx *cli.Context) *params.Network {
	for _, f := range []*cli.BoolFlag{mainnetFlag, testnetFlag} {
		if !ctx.Bool(f.Name) {
			continue
		}
		if n, ok := params.NetworkByName(f.Name); ok {
			return &n
		}
	}
	return nil
}

// checkNetworkFlags refuses two networks at once.
func checkNetworkFlags(ctx *cli.Context) error {
	var given []string
	for _, f := range []*cli.BoolFlag{mainnetFlag, testnetFlag, devFlag} {
		if ctx.Bool(f.Name) {
			given = append(given, "--"+f.Name)
		}
	}
	if len(given) > 1 {
		return fmt.Errorf("%s exclude each other", strings.Join(given, " and "))
	}
	return nil
}

// applyPreset gives a node of a public network its peers, unless flag or file named others.
func (cfg *config) applyPreset(n *params.Network) error {
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

// chosenNetwork is the chain that a node runs.
type chosenNetwork struct {
	preset   *params.Network // nil for a network of one's own
	stored   storedChain
	patience time.Duration // with peers that give no code
}

// isNew reports whether the genesis block is still to be made.
func (n *chosenNetwork) isNew() bool { return n.stored.genesis == (common.Hash{}) }

// selectNetwork decides which chain the node runs, by flag and by what the data directory holds, before the node exists:
// its boot nodes depend on the answer. Private networks get no boot nodes.
func selectNetwork(ctx *cli.Context, cfg *config) (*chosenNetwork, error) {
	if err := checkNetworkFlags(ctx); err != nil {
		return nil, err
	}
	stored, err := readStoredChain(cfg)
	if err != nil {
		return nil, err
	}
	n := &chosenNetwork{flaggedPreset(ctx), stored, codefetch.DefaultPatience}
	switch {
	case n.preset == nil && n.isNew():
		return nil, errNoNetwork
	case n.preset == nil:
		i := slices.IndexFunc(params.Networks(), func(n params.Network) bool { return n.GenesisHash == stored.genesis })
		if i < 0 {
			return n, nil
		}
		n.preset = &params.Networks()[i]
	case !n.isNew() && stored.genesis != n.preset.GenesisHash:
		return nil, fmt.Errorf("the chain in %s has genesis block %v, not that of --%s (%v): give another --%s",
			cfg.Node.DataDir, stored.genesis, n.preset.Name, n.preset.GenesisHash, dataDirFlag.Name)
	}
	if err := n.updateRules(cfg); err != nil {
		return nil, err
	}
	if err := cfg.applyPreset(n.preset); err != nil {
		return nil, err
	}
	return n, nil
}

// storedChain is the chain in a data directory; its zero value is none.
type storedChain struct {
	genesis common.Hash
	config  *params.ChainConfig
	head    uint64 // block number
	// newestHeader is the number of the newest header, which may be above the head.
	newestHeader uint64
	newest       *types.Header // of that block; nil where it is in no database that was looked into
}

// readStoredChain looks into the data directory without changing it.
func readStoredChain(cfg *config) (chain storedChain, err error) {
	if cfg.Node.DataDir == "" {
		return chain, nil
	}
	defer func() {
		if isLocked(err) {
			err = fmt.Errorf("a node, or another command, is running with the data directory %s: stop it first (%w)", cfg.Node.DataDir, err)
		}
	}()
	path := cfg.Node.ResolvePath("chaindata")
	kind := rawdb.PreexistingDatabase(path)
	if kind == "" {
		return chain, nil
	}
	// What is wanted stands in the key-value store. Opening the ancient store takes the longer the more blocks it has.
	if chain, err = readKeyValues(cfg, kind, path); err != nil || chain.genesis != (common.Hash{}) {
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

// readKeyValues is readStoredChain without the ancient store: genesis is zero when it is only there.
func readKeyValues(cfg *config, kind, path string) (chain storedChain, err error) {
	db, err := openKeyValues(kind, path, true)
	if err != nil {
		return chain, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return storedChainOf(db, cfg.Node.DataDir)
}

// isLocked tells whether a database or data directory is another process's.
func isLocked(err error) bool {
	return errors.Is(err, node.ErrDatadirUsed) || errors.Is(err, syscall.EAGAIN) ||
		err != nil && strings.Contains(err.Error(), "lock held by current process") // pebble's, which has no name
}

// openKeyValues opens the key-value store of a chain database, for reading only if so asked.
func openKeyValues(kind, path string, readOnly bool) (ethdb.Database, error) {
	var store ethdb.KeyValueStore
	var err error
	if kind == rawdb.DBPebble {
		store, err = pebble.New(path, 16, 16, "", readOnly)
	} else {
		store, err = leveldb.New(path, 16, 16, "", readOnly)
	}
	if err != nil {
		return nil, openError(err)
	}
	return rawdb.NewDatabase(store), nil
}

// storedChainOf reads which chain a database holds.
func storedChainOf(db ethdb.Reader, dataDir string) (chain storedChain, err error) {
	if err := checkDatabaseVersion(db, dataDir); err != nil {
		return chain, err
	}
	chain.genesis = rawdb.ReadCanonicalHash(db, 0)
	chain.config = rawdb.ReadChainConfig(db, chain.genesis)
	if number, ok := rawdb.ReadHeaderNumber(db, rawdb.ReadHeadBlockHash(db)); ok {
		chain.head, chain.newest = number, rawdb.ReadHeader(db, rawdb.ReadHeadBlockHash(db), number)
	}
	chain.newestHeader = chain.head
	if number, ok := rawdb.ReadHeaderNumber(db, rawdb.ReadHeadHeaderHash(db)); ok {
		chain.newestHeader = max(chain.head, number)
	}
	return chain, nil
}

// checkDatabaseVersion refuses a chain database that a newer program has written: this one would damage it.
func checkDatabaseVersion(db ethdb.KeyValueReader, dataDir string) error {
	version := rawdb.ReadDatabaseVersion(db)
	if version == nil || *version <= gethcore.BlockChainVersion {
		return nil
	}
	return fmt.Errorf("the database in %s has version %d, this program knows %d: a newer gwon has written it. Run that one, or give "+
		"another --%s", dataDir, *version, gethcore.BlockChainVersion, dataDirFlag.Name)
}

// ancientDir returns the ancient directory that a flag names, which the stored genesis may be in.
func ancientDir(ctx *cli.Context) string {
	return program.ExpandHome(ctx.String(utils.AncientFlag.Name))
}
