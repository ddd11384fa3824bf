// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package blockchain

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/log"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/datadir"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/eth/senderindex"
	"gwon/internal/apart"
	"gwon/internal/progress"
	"gwon/operator/snapshot"
)

// ExportCommand writes blocks to a file.
var ExportCommand = &cli.Command{
	Name:      "export",
	Usage:     "Export all blocks to a new file, or some that continue one; a name ending in .gz is compressed",
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
	if err := program.RefuseExisting(file); err != nil && ctx.NArg() == 1 { // a range may be appended
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
	if err := apart.Check(ctx.Args().First(), opened.Config.Node.DataDir); err != nil {
		return err
	}
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

// exportBlocks writes blocks to a file and shows how far it is. When ctx ends it stops between two blocks. Any other
// error leaves no new file, and of an earlier export what was there.
func exportBlocks(ctx context.Context, chain *gethcore.BlockChain, path string, first, last uint64) (err error) {
	file, size, err := openExport(ctx, chain, path, first)
	if err != nil {
		return err
	}
	keep := false
	defer func() {
		if err = errors.Join(err, file.Sync()); err != nil && !keep {
			err = errors.Join(err, file.Truncate(size))
		}
		if err = errors.Join(err, file.Close()); err != nil && !keep && size == 0 {
			err = errors.Join(err, os.Remove(path))
		}
	}()
	meter := new(progress.Meter)
	defer progress.Show(meter.State, os.Stderr)()
	meter.BeginItems("Exporting", last-first+1, "blocks")
	buffer := bufio.NewWriter(file)
	out, end := io.Writer(buffer), buffer.Flush
	if strings.HasSuffix(path, ".gz") {
		zipped := gzip.NewWriter(buffer)
		out, end = zipped, func() error { return errors.Join(zipped.Close(), buffer.Flush()) }
	}
	number := first
	for ; number <= last && ctx.Err() == nil; number++ {
		block := chain.GetBlockByNumber(number)
		if block == nil {
			return fmt.Errorf("block %d is not stored here", number)
		}
		if err := rlp.Encode(out, block); err != nil {
			return fmt.Errorf("export block %d: %w", number, err)
		}
		meter.AddItems(1)
		meter.At(number - first + 1)
	}
	if err := end(); err != nil {
		return fmt.Errorf("export blocks up to %d: %w", number-1, err)
	}
	if number <= last {
		keep = number > first
		return fmt.Errorf("interrupted: give the command with the blocks %d and %d to go on", number, last)
	}
	log.Info("Blocks exported", "file", path, "first", first, "last", last)
	return nil
}

// openExport opens a new file for the blocks from first on, or an export that ends before first. size is what is there.
func openExport(ctx context.Context, chain *gethcore.BlockChain, path string, first uint64) (
	file *os.File, size int64, err error,
) {
	file, err = os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644) //nolint:gosec // blocks are public
	if !errors.Is(err, fs.ErrExist) {
		return file, 0, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	if err := checkExport(ctx, chain, path, info, first); err != nil {
		return nil, 0, fmt.Errorf("nothing is appended to %s: %w", path, err)
	}
	file, err = os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	return file, info.Size(), err
}

// checkExport returns an error unless a file is an export of this chain that ends with the block before first.
func checkExport(
	ctx context.Context, chain *gethcore.BlockChain, path string, info fs.FileInfo, first uint64,
) (err error) {
	if !info.Mode().IsRegular() {
		return errors.New("it is no file: name a new one")
	}
	source, err := openStream(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	var end *types.Header
	for {
		block, err := source.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if end != nil && block.ParentHash() != end.Hash() {
			return fmt.Errorf("block %v in it follows on block %v, so it cannot be imported: name a new file", block.Number(),
				end.Number)
		}
		end = block.Header()
	}
	switch {
	case end == nil:
		return errors.New("it holds no block: name a new file")
	case first == 0 || end.Number.Cmp(new(big.Int).SetUint64(first-1)) != 0:
		return fmt.Errorf("it ends with block %v: give the first block %v, or name a new file", end.Number,
			new(big.Int).Add(end.Number, common.Big1))
	case chain.GetCanonicalHash(first-1) != end.Hash():
		return fmt.Errorf("its block %v is %v, and the chain here has another one: name a new file", end.Number, end.Hash())
	}
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
