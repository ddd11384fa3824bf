// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package blockchain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/settings"
	"gwon/core/rules"
	"gwon/internal/atomicfile"
	"gwon/internal/progress"
)

// ExportHistoryCommand writes blocks and receipts to era1 files.
var ExportHistoryCommand = &cli.Command{
	Name:      "export-history",
	Usage:     "Export blocks and receipts to a directory of era1 files",
	ArgsUsage: "<directory> [<first block> <last block>]",
	Description: `Each file has 8,192 blocks, the last one those up to the head or the last block. The first block
is 0 or another multiple of 8,192; tools expect files from block 0 on. An export goes on where
the one before ended, with a new last file. checksums.txt has the SHA-256 of each file.`,
	Flags:  settings.NodeFlags(),
	Action: exportHistory,
}

func exportHistory(ctx *cli.Context) error {
	export := func(until context.Context, chain *gethcore.BlockChain, first, last uint64) error {
		switch oldest, _ := chain.HistoryPruningCutoff(); {
		case first%utils.Era1Blocks != 0:
			return fmt.Errorf("first block %d: an era1 file begins with a multiple of %d", first, utils.Era1Blocks)
		case first < oldest:
			return fmt.Errorf("the history before block %d has been dropped: export on a node that keeps all of it", oldest)
		}
		files := &eraExport{chain: chain, dir: ctx.Args().First()}
		written, err := files.run(until, first, last)
		if err != nil {
			return fmt.Errorf("export to %s: %w", files.dir, err)
		}
		_, err = fmt.Fprintf(ctx.App.Writer, "Exported blocks %d to %d, %d files written\n", first, last, written)
		return err
	}
	return withExported(ctx, "directory", export)
}

// eraExport writes the blocks of a chain to a directory.
type eraExport struct {
	chain *gethcore.BlockChain
	dir   string
	sums  []string // of the files up to now
}

// run writes the files that are missing or shorter, and returns how many it wrote.
func (e *eraExport) run(ctx context.Context, first, last uint64) (written int, err error) {
	if err := os.MkdirAll(e.dir, 0o750); err != nil {
		return 0, err
	}
	meter := new(progress.Meter)
	defer progress.Show(meter.State, os.Stderr)()
	meter.BeginItems("Exporting", last-first+1, "blocks")
	kept, err := e.keep(first, last)
	if err != nil {
		return 0, err
	}
	from := first + uint64(kept)*utils.Era1Blocks
	meter.Skip(from - first)
	for ; from <= last; from += utils.Era1Blocks {
		to := min(from+utils.Era1Blocks-1, last)
		if err := e.write(ctx, from, to); err != nil {
			return written, err
		}
		written++
		meter.AddItems(int(to - from + 1))
		meter.At(to - first + 1)
	}
	log.Info("History exported", "directory", e.dir, "first", first, "last", last, "files", written)
	return written, nil
}

// keep finds the full files of an earlier export that still hold, reads their checksums and removes all files behind
// them. Full files are of decided blocks and do not change; the last one is written again.
func (e *eraExport) keep(first, last uint64) (files int, err error) {
	names, _, err := filesOf(e.dir, era1Suffix)
	if err != nil {
		return 0, err
	}
	text, err := os.ReadFile(e.path(checksumsName))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return 0, err
	}
	sums := strings.Fields(string(text))
	full := int((last + 1 - first) / utils.Era1Blocks)
	for files < min(full, len(names), len(sums)) {
		from := first + uint64(files)*utils.Era1Blocks
		if same, err := e.continues(names[files], from); err != nil {
			return 0, err
		} else if !same {
			break
		}
		files++
	}
	for _, name := range names {
		if !strings.HasPrefix(name, e.prefix()) {
			return 0, fmt.Errorf("%s is of another chain: give an empty directory", name)
		}
	}
	if len(names) == 0 && len(sums) > 0 {
		return 0, fmt.Errorf("%s is of other files: give an empty directory", e.path(checksumsName))
	}
	if files == 0 && len(names) > 0 {
		if index, _, _ := strings.Cut(strings.TrimPrefix(names[0], e.prefix()), "-"); index != eraIndex(first) {
			return 0, fmt.Errorf("%s has files from another block on: give the same first block or an empty directory", e.dir)
		}
	}
	e.sums = sums[:files]
	if err := e.writeChecksums(); err != nil { // which are never more than the files, also after a crash
		return 0, err
	}
	for _, name := range names[files:] {
		if err := os.Remove(e.path(name)); err != nil {
			return 0, err
		}
	}
	return files, nil
}

// continues reports whether a file has the full run of blocks from a number on. Its name has the hash of the last one.
func (e *eraExport) continues(name string, from uint64) (bool, error) {
	file, err := os.Open(e.path(name))
	if err != nil {
		return false, err
	}
	_, first, count, err := utils.OpenEra1(file)
	if err := errors.Join(err, file.Close()); err != nil {
		return false, fmt.Errorf("%s: %w: remove it", name, err)
	}
	return first == from && count == utils.Era1Blocks && strings.HasPrefix(name, e.prefix()+eraIndex(from)), nil
}

// write makes one file, under its name only when it is whole and on disk.
func (e *eraExport) write(ctx context.Context, from, to uint64) (err error) {
	partial := e.path("export.partial")
	file, err := os.Create(partial)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(partial))
		}
	}()
	root, err := e.fill(ctx, file, from, to)
	sum := ""
	if err == nil {
		if _, err = file.Seek(0, 0); err == nil {
			_, sum, err = checksum(file)
		}
	}
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	name := fmt.Sprintf("%s%s-%x%s", e.prefix(), eraIndex(from), root[:4], era1Suffix)
	if err := atomicfile.Replace(partial, e.path(name)); err != nil {
		return err
	}
	e.sums = append(e.sums, sum)
	return e.writeChecksums()
}

// fill writes blocks to a file and returns the root over them.
func (e *eraExport) fill(ctx context.Context, file *os.File, from, to uint64) (common.Hash, error) {
	builder := utils.NewEra1Builder(file)
	genesis := e.chain.Genesis().Difficulty()
	for number := from; number <= to; number++ {
		if ctx.Err() != nil {
			return common.Hash{}, fmt.Errorf("interrupted at block %d: give the command again to go on", number)
		}
		block := e.chain.GetBlockByNumber(number)
		if block == nil {
			return common.Hash{}, fmt.Errorf("block %d is not stored here", number)
		}
		receipts := types.Receipts(e.chain.GetReceiptsByHash(block.Hash()))
		if err := checkReceipts(block, receipts); err != nil {
			return common.Hash{}, fmt.Errorf("%w: the receipts are not stored here, as no peer had them; export on another node",
				err)
		}
		if err := builder.Add(block, receipts, rules.TotalDifficulty(genesis, number)); err != nil {
			return common.Hash{}, err
		}
	}
	return builder.Finalize()
}

// writeChecksums replaces the file of the checksums.
func (e *eraExport) writeChecksums() error {
	return atomicfile.Write(e.path(checksumsName), []byte(strings.Join(e.sums, "\n")), 0o600)
}

func (e *eraExport) path(name string) string { return filepath.Join(e.dir, name) }

// prefix begins the names of the files of a chain. Tools divide a name at its hyphens.
func (e *eraExport) prefix() string { return fmt.Sprintf("chain%v-", e.chain.Config().ChainID) }

// eraIndex is the part of a file's name that tells its place.
func eraIndex(first uint64) string { return fmt.Sprintf("%05d", first/utils.Era1Blocks) }
