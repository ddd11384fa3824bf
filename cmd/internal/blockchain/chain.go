// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package blockchain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/log"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/datadir"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/eth/senderindex"
	"gwon/internal/progress"
	"gwon/operator/snapshot"
)

// ExportCommand writes blocks to a file.
var ExportCommand = &cli.Command{
	Name:      "export",
	Usage:     "Export all blocks to a new file, or append some to one; a name ending in .gz is compressed",
	ArgsUsage: "<file> [<first block> <last block>]",
	Flags:     settings.NodeFlags(),
	Action:    exportChain,
}

// RemoveDBCommand deletes databases, never keys.
var RemoveDBCommand = &cli.Command{
	Name:   "removedb",
	Usage:  "Delete the chain and state databases, never keys",
	Flags:  slices.Concat([]cli.Flag{program.YesFlag}, settings.NetworkFlags, settings.DatabaseFlags),
	Action: removeDB,
}

// DBCommand looks into the chain database.
var DBCommand = &cli.Command{
	Name:  "db",
	Usage: "Look into the chain database of a stopped node",
	Subcommands: []*cli.Command{
		{
			Name:  "inspect",
			Usage: "Print how much space each kind of data takes",
			Flags: slices.Concat([]cli.Flag{utils.CacheFlag, utils.CacheDatabaseFlag}, settings.NetworkFlags,
				settings.DatabaseFlags),
			Action: inspectDB,
		},
		{
			Name:  "compact",
			Usage: "Compact the key-value store",
			Flags: slices.Concat([]cli.Flag{utils.CacheFlag, utils.CacheDatabaseFlag}, settings.NetworkFlags,
				settings.DatabaseFlags),
			Action: compactDB,
		},
	},
}

func exportChain(ctx *cli.Context) error {
	file := ctx.Args().First()
	if err := program.RefuseExisting(file); err != nil && ctx.NArg() == 1 { // a range is appended to what is there
		return err
	}
	return withExported(ctx, "file", func(until context.Context, chain *gethcore.BlockChain, first, last uint64) error {
		if oldest, _ := chain.HistoryPruningCutoff(); first < oldest {
			return fmt.Errorf("the history before block %d has been dropped: give a file, %d and the last block", oldest, oldest)
		}
		return exportBlocks(until, chain, file, first, last)
	})
}

// withExported opens the chain and exports the blocks that the arguments name behind their target, a file or a
// directory, or all blocks.
func withExported(ctx *cli.Context, target string,
	export func(until context.Context, chain *gethcore.BlockChain, first, last uint64) error,
) (err error) {
	if ctx.NArg() != 1 && ctx.NArg() != 3 {
		return fmt.Errorf("give a %s, or a %[1]s and the first and last block", target)
	}
	var bounds [2]uint64
	for i, text := range ctx.Args().Tail() {
		if bounds[i], err = strconv.ParseUint(text, 0, 64); err != nil {
			return fmt.Errorf("%s block: %w", [2]string{"first", "last"}[i], err)
		}
	}
	opened, err := datadir.OpenChain(ctx, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	head := opened.Chain.CurrentBlock().Number.Uint64()
	if ctx.NArg() == 1 {
		bounds[1] = head
	}
	first, last := bounds[0], bounds[1]
	if first > last || last > head {
		return fmt.Errorf("blocks %d to %d are not a range up to the head %d", first, last, head)
	}
	until, stop := program.UntilSignal(ctx)
	defer stop()
	return export(until, opened.Chain, first, last)
}

// exportBlocks appends blocks to a file, a part after the other, and shows how far it is. It stops between two parts
// when ctx ends.
func exportBlocks(ctx context.Context, chain *gethcore.BlockChain, file string, first, last uint64) error {
	meter := new(progress.Meter)
	defer progress.Show(meter.State, os.Stderr)()
	count := last - first + 1
	meter.BeginItems("Exporting", count, "blocks")
	part := max(1000, count/200)
	for from := first; from <= last; from += part {
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted: %s ends with block %d", file, from-1)
		}
		to := min(from+part-1, last)
		if err := utils.ExportAppendChain(chain, file, from, to); err != nil {
			return fmt.Errorf("export blocks %d to %d: %w", from, to, err)
		}
		meter.AddItems(int(to - from + 1))
		meter.At(to - first + 1)
	}
	log.Info("Blocks exported", "file", file, "first", first, "last", last)
	return nil
}

// removeDB deletes the directories below the instance directory that can be made again from the network. Keys and the
// record of signed votes stay.
func removeDB(ctx *cli.Context) (err error) {
	cfg, _, err := settings.Load(ctx)
	if err != nil {
		return err
	}
	if cfg.Node.DataDir == "" {
		return errors.New("no data directory: give --datadir")
	}
	var found []string
	for _, name := range []string{"chaindata", "lightchaindata", "triedb", "blobpool", snapshot.WorkName} {
		if path := cfg.Node.ResolvePath(name); datadir.IsDir(path) {
			found = append(found, path)
		}
	}
	if ancient := settings.AncientDir(ctx); ancient != "" {
		if !filepath.IsAbs(ancient) {
			ancient = cfg.Node.ResolvePath(ancient) // as the node does
		}
		for _, name := range []string{"chain", "state"} { // the directory itself is the operator's and may hold more
			if path := filepath.Join(ancient, name); datadir.IsDir(path) {
				found = append(found, path)
			}
		}
	}
	if len(found) == 0 {
		return fmt.Errorf("there is no database in %s", cfg.Node.DataDir)
	}
	unlock, err := datadir.Lock(cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	for _, path := range found {
		if !ctx.Bool(program.YesFlag.Name) {
			sure, err := program.AskYesOrNo("Delete " + path + "?")
			if err != nil {
				return fmt.Errorf("nothing more deleted: %w", err)
			}
			if !sure {
				continue
			}
		}
		if err := os.RemoveAll(filepath.Clean(path)); err != nil {
			return fmt.Errorf("delete database: %w", err)
		}
		if _, err := fmt.Fprintln(ctx.App.Writer, "Deleted", path); err != nil {
			return err
		}
	}
	return nil
}

func inspectDB(ctx *cli.Context) (err error) {
	// Upstream cannot count the tables of an ancient store that is open for reading only.
	opened, err := datadir.OpenDB(ctx, false, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	own := &ownKeys{Database: opened.DB}
	if err := rawdb.InspectFilled(own); err != nil {
		return err
	}
	log.Info("Index of sender hashes counted", "rows", own.rows.Load(), "size", common.StorageSize(own.bytes.Load()))
	return nil
}

// ownKeys is a database without the keys of gwon's own, which upstream takes for damage. It counts them.
type ownKeys struct {
	ethdb.Database
	rows, bytes atomic.Uint64
}

// NewIterator implements ethdb.Iteratee.
func (d *ownKeys) NewIterator(prefix, start []byte) ethdb.Iterator {
	return &foreignKeys{d.Database.NewIterator(prefix, start), d}
}

// foreignKeys iterates over the keys that are not gwon's own.
type foreignKeys struct {
	ethdb.Iterator
	own *ownKeys
}

// Next implements ethdb.Iterator.
func (i *foreignKeys) Next() bool {
	for i.Iterator.Next() {
		key := i.Key()
		if !bytes.HasPrefix(key, []byte(senderindex.Prefix)) {
			return true
		}
		i.own.rows.Add(1)
		i.own.bytes.Add(uint64(len(key) + len(i.Value())))
	}
	return false
}

func compactDB(ctx *cli.Context) (err error) {
	opened, err := datadir.OpenDB(ctx, false, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	start := time.Now()
	if err := opened.DB.Compact(nil, nil); err != nil {
		return fmt.Errorf("compact: %w", err)
	}
	_, err = fmt.Fprintf(ctx.App.Writer, "Compacted in %v\n", time.Since(start).Round(time.Millisecond))
	return err
}
