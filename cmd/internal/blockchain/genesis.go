// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package blockchain

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/log"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/datadir"
	"gwon/cmd/internal/network"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/contracts/store"
	"gwon/core"
	"gwon/internal/progress"
)

// InitCommand writes the genesis block of a private network.
var InitCommand = &cli.Command{
	Name:      "init",
	Usage:     "Write the genesis block of a network of your own",
	ArgsUsage: "<genesis file>",
	Description: "Checks the file and writes its genesis block into the data directory. A data directory that " +
		"holds another chain is left as it is. The same file again changes nothing. The contracts get their code " +
		"from gwon contracts import, or from the allocation: code of a known version is stored, at whatever address " +
		"it stands there.",
	Flags: append([]cli.Flag{settings.ConfigFlag, utils.CachePreimagesFlag, utils.MinFreeDiskSpaceFlag,
		program.JSONFlag}, settings.DatabaseFlags...),
	Action: initChain,
}

// DumpGenesisCommand prints a genesis.
var DumpGenesisCommand = &cli.Command{
	Name:   "dumpgenesis",
	Usage:  "Print the genesis of --mainnet, --testnet or the chain in the data directory as JSON",
	Flags:  slices.Concat(settings.NetworkFlags, settings.DatabaseFlags),
	Action: dumpGenesis,
}

func initChain(ctx *cli.Context) (err error) {
	if ctx.NArg() != 1 {
		return errors.New("init takes one genesis file")
	}
	cfg, codes, err := loadCodeStore(ctx)
	if err != nil {
		return err
	}
	meter := new(progress.Meter)
	defer progress.Show(meter.State, os.Stderr)()
	path := program.ExpandHome(ctx.Args().First())
	meter.Begin("Reading the genesis file", 0)
	given, err := readGenesisFile(path)
	if err != nil {
		return err
	}
	if err := core.CheckAllocation(given); err != nil {
		return fmt.Errorf("genesis file %s: %w", path, err)
	}
	meter.Begin(fmt.Sprintf("Hashing %d accounts", len(given.Alloc)), 0)
	inFile := core.CodeInAlloc(given.Alloc)
	genesis, info, err := core.BuildGenesis(given, inFile.Or(codes.Source()))
	if err != nil {
		return datadir.WithImportHint(fmt.Errorf("genesis file %s: %w", path, err), cfg.Node.DataDir)
	}
	opened, err := datadir.OpenDB(ctx, false, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	cfg = opened.Config

	stored := rawdb.ReadCanonicalHash(opened.DB, 0)
	if info.Hash == stored {
		info.Missing = nil // the chain has the code, by the hash of its block
	} else if stored != (common.Hash{}) && !makes(genesis, stored) {
		// Code that was imported after the first time must not make the same file another chain.
		earlier, earlierInfo, err := core.BuildGenesis(given, inFile)
		if err != nil || !makes(earlier, stored) {
			return fmt.Errorf("incompatible genesis: the chain in %s has block %v, this file makes %v: "+
				"give another --%s, or remove that chain with gwon removedb",
				cfg.Node.DataDir, stored, genesis.ToBlock().Hash(), settings.DataDirFlag.Name)
		}
		genesis, info = earlier, earlierInfo
	}
	configuration, err := core.Canonical(genesis.Config)
	if err != nil {
		return err
	}
	changed, err := checkRules(opened.DB, configuration)
	if err != nil {
		return fmt.Errorf("the chain in %s keeps its rules: %w. Give the genesis file of that chain, another --%s, or "+
			"remove that chain with gwon removedb", cfg.Node.DataDir, err, settings.DataDirFlag.Name)
	}
	if err := keepCode(codes, core.KnownCode(), inFile); err != nil {
		return err
	}
	meter.Begin(fmt.Sprintf("Writing %d accounts", len(genesis.Alloc)), 0)
	hash, err := commitGenesis(opened, genesis)
	if err != nil {
		return err
	}
	meter.End()
	if len(info.Missing) > 0 {
		log.Warn("System contracts have their storage but no code", "contracts", datadir.CodeNames(info.Missing),
			"hashWithCode", info.Hash)
	}
	later, err := network.MissingAfter(genesis.Config, 0, codes.Source())
	if err != nil {
		return err
	}
	network.WarnOfMissing(later, false)
	done, facts := "Wrote genesis block", []any{
		"chain", genesis.Config.ChainID, "hash", hash, "configuration", configuration.Hash().Hex(), "dir", cfg.Node.DataDir,
	}
	switch {
	case changed != "":
		done, facts = "Changed the chain configuration", append(facts, "changed", changed)
	case stored != (common.Hash{}):
		done = "Genesis block unchanged"
	}
	result := map[string]any{"result": done}
	for i := 0; i < len(facts); i += 2 {
		result[fmt.Sprint(facts[i])] = facts[i+1]
	}
	return program.Print(ctx, result, func() error { log.Info(done, facts...); return nil })
}

// makes reports whether a genesis has the block with a hash.
func makes(genesis *gethcore.Genesis, block common.Hash) bool {
	hash, err := core.GenesisHash(genesis)
	return err == nil && hash == block
}

// keepCode stores the wanted code that a genesis file brought.
func keepCode(store *store.Store, wanted []core.ContractCode, found core.CodeSource) error {
	for _, v := range wanted {
		code, ok := found(v.Hash)
		if !ok {
			continue
		}
		if _, err := store.Put(code); err != nil {
			return fmt.Errorf("%s %s of the genesis file: %w", v.Contract, v.Version, err)
		}
	}
	return nil
}

// readGenesisFile reads the genesis file of an Anzeon chain.
func readGenesisFile(path string) (*gethcore.Genesis, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open genesis file: %w", err)
	}
	defer file.Close() //nolint:errcheck // read only
	given, err := core.ReadGenesis(file)
	if err != nil {
		return nil, fmt.Errorf("genesis file %s: %w", path, err)
	}
	if given.Config == nil || given.Config.Anzeon == nil {
		return nil, fmt.Errorf("genesis file %s: the chain configuration has no section \"anzeon\": "+
			"this client runs WBFT chains only", path)
	}
	if err := checkGenesisTime(given.Timestamp, time.Now()); err != nil {
		return nil, fmt.Errorf("genesis file %s: %w", path, err)
	}
	return given, nil
}

// checkGenesisTime refuses a genesis a year ahead of the clock. Operators agree on a start weeks ahead: what is further
// away is in milliseconds or a slip, and the chain would stand still. The child of one near 2^64 has no time at all.
func checkGenesisTime(timestamp uint64, now time.Time) error {
	if latest := now.Add(365 * 24 * time.Hour); timestamp > uint64(max(latest.Unix(), 0)) {
		return fmt.Errorf("timestamp %d is later than %s, a year ahead of this clock: give seconds since 1970, or set the "+
			"clock", timestamp, latest.UTC().Format(time.DateOnly))
	}
	return nil
}

// commitGenesis writes the block, its state and the chain configuration, and returns the hash.
// The state of a stored chain is there.
func commitGenesis(opened *datadir.Database, genesis *gethcore.Genesis) (hash common.Hash, err error) {
	cfg, db := opened.Config, opened.DB
	if rawdb.ReadCanonicalHash(db, 0) == (common.Hash{}) {
		scheme, err := rawdb.ParseStateScheme(cfg.Eth.StateScheme, db)
		if err != nil {
			return common.Hash{}, err
		}
		hash, err := core.WriteGenesis(db, scheme, cfg.Eth.Preimages, genesis)
		if err != nil {
			return common.Hash{}, fmt.Errorf("write genesis block: %w", err)
		}
		return hash, nil
	}
	hash = rawdb.ReadCanonicalHash(db, 0)
	rawdb.WriteChainConfig(db, hash, genesis.Config)
	return hash, db.SyncKeyValue()
}

// checkRules names what a configuration changes of that of the stored chain. It refuses a change that the chain has
// reached. Upstream's own check passes over what go-ethereum does not know.
func checkRules(db ethdb.Database, wanted core.Configuration) (changed string, err error) {
	config, head := rawdb.ReadChainConfig(db, rawdb.ReadCanonicalHash(db, 0)), rawdb.ReadHeadHeader(db)
	if config == nil || head == nil {
		return "", nil
	}
	stored, err := core.Canonical(config)
	if err != nil {
		return "", err
	}
	describe := func(all []core.Difference) string {
		return core.DescribeDifferences(all, "in the chain", "in this file")
	}
	if settled := stored.Settled(wanted, head.Number.Uint64()); len(settled) > 0 {
		return "", fmt.Errorf("%s, and only forks and transitions above its newest block, %v, can change",
			describe(settled), head.Number)
	}
	return describe(stored.Differences(wanted)), nil
}

func dumpGenesis(ctx *cli.Context) (err error) {
	if err := settings.CheckNetworkFlags(ctx); err != nil {
		return err
	}
	if preset := settings.FlaggedPreset(ctx); preset != nil {
		// As in the generator's files, the system contracts are named by the configuration and not in the allocation.
		return program.PrintIndented(ctx.App.Writer, core.NetworkGenesis(*preset))
	}
	opened, err := datadir.OpenDB(ctx, true, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	genesis, err := gethcore.ReadGenesis(opened.DB)
	if err != nil {
		return fmt.Errorf("read the genesis of %s: %w", opened.Config.Node.DataDir, err)
	}
	return program.PrintIndented(ctx.App.Writer, genesis)
}
