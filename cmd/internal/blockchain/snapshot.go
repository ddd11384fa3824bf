// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package blockchain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/ethereum/go-ethereum/triedb"
	"github.com/ethereum/go-ethereum/triedb/pathdb"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/damage"
	"gwon/cmd/internal/datadir"
	"gwon/cmd/internal/network"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/core"
	"gwon/eth"
	"gwon/internal/apart"
	"gwon/internal/dial"
	"gwon/internal/process"
	"gwon/internal/progress"
	"gwon/operator/snapshot"
)

var (
	snapshotGenesisFlag = &cli.PathFlag{Name: "genesis", Usage: "Genesis file of a network of your own, as for gwon init"}
	historyFromFlag     = &cli.Uint64Flag{
		Name: "history.from",
		Usage: "First block whose transactions and receipts the snapshot has, earlier ones are headers alone; 0 means all " +
			"that the node has",
	}
	extendFlag = &cli.PathFlag{
		Name: "extend",
		Usage: "Directory of an earlier snapshot of the chain. Its files of blocks are taken over, by hard links where " +
			"it is on the same disk",
	}
	manifestFlag = &cli.StringFlag{
		Name:  "manifest",
		Usage: "SHA-256 that the manifest must have, as gwon snapshot create printed it",
	}
)

// snapshotTrustFlags say what a snapshot is compared with.
var snapshotTrustFlags = append([]cli.Flag{snapshotGenesisFlag, settings.CheckpointFlag, manifestFlag},
	settings.NetworkFlags...)

// SnapshotCommand writes, fetches and verifies snapshots.
var SnapshotCommand = &cli.Command{
	Name:  "snapshot",
	Usage: "Write a chain and its state into files, and start new nodes from them",
	Subcommands: []*cli.Command{
		{
			Name:      "create",
			Usage:     "Write a snapshot of the chain in the data directory, whose node may be running",
			ArgsUsage: "<new directory>",
			Description: "A running node writes the snapshot itself, and keeps sealing. The directory can be given out " +
				"by any static HTTP server. The SHA-256 of its manifest is printed at the end.",
			Flags: slices.Concat([]cli.Flag{historyFromFlag, extendFlag, settings.ConfigFlag, utils.CacheFlag,
				utils.CacheDatabaseFlag, program.JSONFlag},
				settings.NetworkFlags, settings.DatabaseFlags),
			Action: createSnapshot,
		},
		{
			Name:      "fetch",
			Usage:     "Build the chain of a new data directory from a snapshot, after proving it",
			ArgsUsage: "<URL or directory>",
			Description: "Every block is proven from the genesis block by its hash and a quorum's seals, and the state " +
				"by its root. The server need not be trusted. A fetch that was interrupted goes on when the command is " +
				"given again.",
			Flags: append([]cli.Flag{settings.DataDirFlag, settings.ConfigFlag, utils.MinFreeDiskSpaceFlag,
				program.JSONFlag}, snapshotTrustFlags...),
			Action: fetchSnapshot,
		},
		{
			Name:      "verify",
			Usage:     "Prove a snapshot as fetch does, and keep nothing",
			ArgsUsage: "<URL or directory>",
			Description: "The data directory need not be there, and may hold any chain. With --genesis, the code of " +
				"system contracts in it is used.",
			Flags:  append([]cli.Flag{settings.DataDirFlag, settings.ConfigFlag, program.JSONFlag}, snapshotTrustFlags...),
			Action: verifySnapshot,
		},
	},
}

// askPeriod is the time between two questions to a node that writes a snapshot.
const askPeriod = time.Second

func createSnapshot(ctx *cli.Context) (err error) {
	if ctx.NArg() != 1 {
		return errors.New("name one new directory for the snapshot")
	}
	dir, err := filepath.Abs(program.ExpandHome(ctx.Args().First()))
	if err != nil {
		return err
	}
	options := snapshot.Options{HistoryFrom: ctx.Uint64(historyFromFlag.Name)}
	if ctx.IsSet(extendFlag.Name) {
		if options.Extend, err = filepath.Abs(program.ExpandHome(ctx.Path(extendFlag.Name))); err != nil {
			return err
		}
	}
	cfg, err := settings.LoadDirectory(ctx)
	if err != nil {
		return err
	}
	for _, other := range []string{cfg.Node.DataDir, options.Extend} {
		if err := apart.Check(dir, other); other != "" && err != nil {
			return err
		}
	}
	until, stop := program.UntilSignal(ctx)
	defer stop()
	opened, err := datadir.OpenDB(ctx, true, true)
	if damage.IsLocked(err) {
		return createByNode(ctx, until, cfg, dir, options)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	source := snapshot.Source{DB: opened.DB, Disk: snapshotDisk(ctx, opened.Config), Options: options}
	if rawdb.ReadStateScheme(opened.DB) == rawdb.PathScheme {
		paths := *pathdb.ReadOnly
		paths.JournalDirectory = opened.Stack.ResolvePath("triedb")
		source.Tries = triedb.NewDatabase(opened.DB, &triedb.Config{PathDB: &paths})
		defer func() { err = errors.Join(err, source.Tries.Close()) }() // before the database
	}
	meter := new(progress.Meter)
	end := progress.Show(meter.State, os.Stderr)
	m, digest, err := snapshot.Create(until, source, dir, meter)
	end()
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("interrupted: %w", err)
	}
	if err != nil {
		return err
	}
	return printSnapshot(ctx, dir, &snapshot.Status{
		Dir: dir, Number: (*hexutil.Uint64)(&m.Number), Hash: &m.Hash, Size: m.Size(), Manifest: &digest,
		HistoryFrom: m.HistoryFrom,
	})
}

// RegisterSnapshots lets a node write snapshots of its chain.
func RegisterSnapshots(ctx *cli.Context, stack *node.Node, cfg *settings.Config, svc *eth.Service) {
	service := snapshot.NewService(svc.Ethereum().ChainDb(), svc.Chain().TrieDB().FlushSoon, snapshotDisk(ctx, cfg))
	stack.RegisterLifecycle(service) // stops before the node service, which closes the database
	stack.RegisterAPIs([]rpc.API{{Namespace: "snapshot", Service: service.API()}})
}

// snapshotDisk returns what the writing of a snapshot leaves on a disk: twice the space below which a node ends.
func snapshotDisk(ctx *cli.Context, cfg *settings.Config) snapshot.Disk {
	guard := settings.NewDiskGuard(ctx, cfg)
	return snapshot.Disk{Free: guard.Ask, Keep: 2 * guard.Free}
}

func printSnapshot(ctx *cli.Context, dir string, s *snapshot.Status) error {
	return program.Print(ctx, s, func() error {
		_, err := fmt.Fprintf(ctx.App.Writer, "Snapshot of block %d (%v) written to %s, %v%s\nSHA-256 of the manifest: %v\n",
			uint64(*s.Number), *s.Hash, dir, common.StorageSize(s.Size), historyNote(s.HistoryFrom), s.Manifest)
		return err
	})
}

// historyNote says which transactions a snapshot lacks.
func historyNote(from uint64) string {
	if from == 0 {
		return ""
	}
	return fmt.Sprintf(", without the transactions and receipts before block %d", from)
}

// createByNode has the node that runs with the data directory write the snapshot.
func createByNode(
	ctx *cli.Context, until context.Context, cfg *settings.Config, dir string, options snapshot.Options,
) error {
	client, err := dial.Node(until, cfg.Node.IPCEndpoint())
	if err != nil {
		return fmt.Errorf("the node that runs with %s does not answer, and only that node can write the snapshot: %w",
			cfg.Node.DataDir, err)
	}
	defer client.Close()
	if err := dial.Ask(until, client, nil, "snapshot_create", dir, options); err != nil {
		return err
	}
	status, err := awaitSnapshot(until, client, os.Stderr)
	if until.Err() != nil {
		background, cancel := context.WithTimeout(context.Background(), askPeriod)
		defer cancel()
		return errors.Join(program.ErrInterrupted, dial.Ask(background, client, nil, "snapshot_cancel"))
	}
	switch {
	case err != nil:
		return err
	case status.Error != "":
		return errors.New(status.Error)
	case status.Manifest == nil || status.Number == nil || status.Hash == nil:
		return errors.New("the node has written another snapshot meanwhile, or was restarted: see its log")
	}
	return printSnapshot(ctx, dir, &status)
}

// awaitSnapshot asks a node until its snapshot has ended, and shows how far it is.
func awaitSnapshot(ctx context.Context, client *rpc.Client, out *os.File) (status snapshot.Status, err error) {
	ticker := time.Tick(askPeriod)
	var newest atomic.Pointer[progress.State]
	newest.Store(new(progress.State))
	defer progress.Show(func() progress.State { return *newest.Load() }, out)()
	for {
		status = snapshot.Status{}
		if err := dial.Ask(ctx, client, &status, "snapshot_status"); err != nil || !status.Running {
			return status, err
		}
		newest.Store(&status.Progress)
		select {
		case <-ticker:
		case <-ctx.Done():
			return status, ctx.Err()
		}
	}
}

// snapshotTrust reads what a snapshot has to agree with.
func snapshotTrust(ctx *cli.Context, cfg *settings.Config) (*snapshot.Trust, error) {
	trust := new(snapshot.Trust)
	if ctx.IsSet(settings.CheckpointFlag.Name) {
		if err := trust.Checkpoint.UnmarshalText([]byte(ctx.String(settings.CheckpointFlag.Name))); err != nil {
			return nil, fmt.Errorf("--%s wants a block hash, 0x and 64 hexadecimal digits: %w", settings.CheckpointFlag.Name,
				err)
		}
	}
	if text := ctx.String(manifestFlag.Name); text != "" {
		if err := trust.Manifest.UnmarshalText([]byte(strings.TrimPrefix(text, "0x"))); err != nil {
			return nil, fmt.Errorf("--%s: %w", manifestFlag.Name, err)
		}
	}
	preset, path := settings.FlaggedPreset(ctx), ctx.Path(snapshotGenesisFlag.Name)
	if (preset == nil) == (path == "") {
		return nil, fmt.Errorf("name the network of the snapshot: --%s, --%s, or --%s FILE", settings.TestnetFlag.Name,
			settings.MainnetFlag.Name, snapshotGenesisFlag.Name)
	}
	codes, err := cfg.CodeStore()
	if err != nil {
		return nil, err
	}
	if preset != nil {
		trust.Network = snapshot.Network{Genesis: preset.GenesisHash, Config: preset.Config()}
		// The allocation needs the code of the contracts. The node does without it.
		if genesis, err := network.Genesis(preset, codes.Source()); err == nil {
			trust.Network.Alloc, err = json.Marshal(genesis.Alloc)
			return trust, err
		}
		return trust, nil
	}
	given, err := readGenesisFile(program.ExpandHome(path))
	if err != nil {
		return nil, err
	}
	inFile := core.CodeInAlloc(given.Alloc)
	genesis, _, err := core.BuildGenesis(given, inFile.Or(codes.Source()))
	if err != nil {
		return nil, datadir.WithImportHint(fmt.Errorf("genesis file %s: %w", path, err), cfg.Node.DataDir)
	}
	trust.Network = snapshot.Network{Genesis: genesis.ToBlock().Hash(), Config: genesis.Config}
	if trust.Network.Alloc, err = json.Marshal(genesis.Alloc); err != nil {
		return nil, err
	}
	return trust, keepCode(codes, core.KnownCode(), inFile)
}

// snapshotPlace reads the argument of fetch and verify, and what the snapshot has to agree with.
func snapshotPlace(ctx *cli.Context) (*settings.Config, *snapshot.Location, *snapshot.Trust, error) {
	if ctx.NArg() != 1 {
		return nil, nil, nil, errors.New("name one URL or directory with a snapshot")
	}
	location, err := snapshot.NewLocation(program.ExpandHome(ctx.Args().First()))
	if err != nil {
		return nil, nil, nil, err
	}
	cfg, err := settings.LoadDirectory(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	trust, err := snapshotTrust(ctx, cfg)
	return cfg, location, trust, err
}

func fetchSnapshot(ctx *cli.Context) (err error) {
	cfg, location, trust, err := snapshotPlace(ctx)
	if err != nil {
		return err
	}
	_, upstream, err := settings.Load(ctx)
	if err != nil {
		return err
	}
	if err := cfg.SpareNodeKey(); err != nil {
		return err
	}
	stack, err := settings.NewStack(cfg, upstream) // locks the data directory
	if err != nil {
		return datadir.ExplainLock(cfg, err)
	}
	defer func() { err = errors.Join(err, stack.Close()) }()
	until, stop := program.UntilSignal(ctx)
	defer stop()
	disk := settings.NewDiskGuard(ctx, cfg)
	disk.Dirs = append(disk.Dirs, cfg.Node.ResolvePath(snapshot.WorkName))
	watched, halt := context.WithCancel(until)
	defer halt()
	go disk.Watch(watched, halt)
	meter := new(progress.Meter)
	end := progress.Show(meter.State, os.Stderr)
	begun := time.Now()
	m, err := snapshot.Fetch(watched, location, trust, snapshot.Target{
		Instance: stack.InstanceDir(),
		Free:     func(size uint64) error { return checkRoom(disk, cfg, size) },
		Progress: meter,
	})
	end()
	switch {
	case disk.Reason() != nil:
		return fmt.Errorf("%w; what is fetched already is kept", disk.Reason())
	case until.Err() != nil && err != nil:
		return errors.New("interrupted; what is fetched already is kept: give the same command again to go on")
	case errors.Is(err, snapshot.ErrInPlace):
		_, err = fmt.Fprintf(ctx.App.Writer, "The snapshot is in place in %s already: start the node\n", cfg.Node.DataDir)
		return err
	case err != nil:
		return err
	}
	return program.Print(ctx, m, func() error {
		_, err := fmt.Fprintf(ctx.App.Writer, "Chain up to block %d (%v)%s proven and put into %s in %v: start the node\n",
			m.Number, m.Hash, historyNote(m.HistoryFrom), cfg.Node.DataDir, time.Since(begun).Round(time.Millisecond))
		return err
	})
}

// checkRoom returns an error when the disk of the data directory has no room for them.
func checkRoom(disk *process.DiskGuard, cfg *settings.Config, size uint64) error {
	free, err := disk.Ask(cfg.Node.DataDir)
	if err != nil {
		return fmt.Errorf("free space on the disk of %s: %w", cfg.Node.DataDir, err)
	}
	if free < size+disk.Free {
		return fmt.Errorf("the disk of %s has %v free, and the snapshot needs at least %v besides the %v that have to "+
			"stay free: free space, then give the command again",
			cfg.Node.DataDir, common.StorageSize(free), common.StorageSize(size), common.StorageSize(disk.Free))
	}
	return nil
}

func verifySnapshot(ctx *cli.Context) error {
	_, location, trust, err := snapshotPlace(ctx)
	if err != nil {
		return err
	}
	until, stop := program.UntilSignal(ctx)
	defer stop()
	begun := time.Now()
	meter := new(progress.Meter)
	end := progress.Show(meter.State, os.Stderr)
	m, err := snapshot.Verify(until, location, trust, meter)
	end()
	if until.Err() != nil && err != nil {
		return program.ErrInterrupted
	}
	if err != nil {
		return err
	}
	return program.Print(ctx, m, func() error {
		_, err := fmt.Fprintf(ctx.App.Writer, "Snapshot of block %d (%v) with state root %v%s proven in %v\n", m.Number,
			m.Hash, m.StateRoot, historyNote(m.HistoryFrom), time.Since(begun).Round(time.Millisecond))
		return err
	})
}
