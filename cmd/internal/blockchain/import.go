// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package blockchain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/log"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/datadir"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/consensus/wbft"
	"gwon/core"
	"gwon/eth/persist"
	"gwon/internal/progress"
)

// ImportCommand imports blocks from files.
var ImportCommand = &cli.Command{
	Name:      "import",
	Aliases:   []string{"import-history"},
	Usage:     "Import blocks from files of gwon export, era1 files or stored raw blocks",
	ArgsUsage: "<file or directory>...",
	Description: `Executes each block. A directory has era1 files, in the order of their names and checked by
checksums.txt if it is there, or blocks that were stored one by one: blocks/NUMBER.rlp as
debug_getRawBlock returns them, with receipts/NUMBER.rlp of debug_getRawReceipts if wanted.
--verify-only checks what needs no state: links, roots of transactions and receipts, headers, and
the seals of blocks whose validators are named by an epoch block among them or in the data
directory. Nothing is written then.`,
	Flags:  append(settings.NodeFlags(), verifyOnlyFlag, program.JSONFlag),
	Action: importChain,
}

func importChain(ctx *cli.Context) (err error) {
	if ctx.NArg() == 0 {
		return errors.New("name the files to import")
	}
	if ctx.Bool(verifyOnlyFlag.Name) {
		return verifyBlocks(ctx)
	}
	opened, err := datadir.OpenChain(ctx, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	cfg, chain := opened.Config, opened.Chain
	disk := settings.NewDiskGuard(ctx, cfg)
	watch, end := context.WithCancel(context.Background())
	go disk.Watch(watch, func() { chain.InterruptInsert(true) })
	var saver sync.WaitGroup
	saver.Go(func() { persist.NewSaver(chain).Run(watch) })
	defer saver.Wait()
	defer end()
	interrupts, ignore := signal.NotifyContext(watch, syscall.SIGINT, syscall.SIGTERM)
	defer ignore()
	engine, ok := chain.Engine().(*wbft.Engine)
	if !ok {
		return errors.New("the chain in this data directory has no \"anzeon\" section: gwon runs WBFT chains only")
	}
	log.Info("States kept", "of", settings.KeptStates(&cfg.Eth, chain.TrieDB().Scheme()))
	meter := new(progress.Meter)
	defer progress.Show(meter.State, os.Stderr)()
	blocks := &fileImport{chain, engine, cfg.Gwon.SyncVerifyAll, meter}
	start := time.Now()
	for _, file := range ctx.Args().Slice() {
		if err := checkFirstBlock(file, opened.DB, chain); err != nil {
			return fmt.Errorf("import %s: %w", file, err)
		}
		err := blocks.run(interrupts, file)
		if full := disk.Reason(); full != nil {
			return fmt.Errorf("import %s stopped at block %d: %w", file, chain.CurrentBlock().Number, full)
		}
		if errors.Is(err, context.Canceled) {
			return fmt.Errorf("import %s: interrupted at block %d; give the file again to go on", file,
				chain.CurrentBlock().Number)
		}
		if err != nil {
			return fmt.Errorf("import %s: %w", file, err)
		}
	}
	head, took := chain.CurrentBlock(), time.Since(start).Round(time.Millisecond)
	return program.Print(ctx, map[string]any{"number": head.Number, "hash": head.Hash(), "seconds": took.Seconds()},
		func() error {
			_, err := fmt.Fprintf(ctx.App.Writer, "Imported up to block %d in %v\n", head.Number, took)
			return err
		})
}

// checkFirstBlock refuses a file whose blocks do not fit onto the chain, before any of them is executed: it says
// whether they are another chain's, or begin above the head.
func checkFirstBlock(path string, db ethdb.Database, chain *gethcore.BlockChain) error {
	first, err := firstHeader(path)
	if err != nil {
		return err
	}
	if first == nil {
		return errors.New("it holds no block: is it a file that gwon export has finished?")
	}
	var genesis common.Hash
	switch number := first.Number.Uint64(); {
	case number == 0:
		genesis = first.Hash()
	case number == 1:
		genesis = first.ParentHash
	case chain.HasBlock(first.ParentHash, number-1):
		return nil
	case chain.CurrentBlock().Number.Uint64() < number-1:
		return fmt.Errorf("its first block is number %d, but the chain here ends at block %d: import what lies between first",
			number, chain.CurrentBlock().Number)
	default:
		return fmt.Errorf("its first block, number %d, does not follow on block %d of the chain here, which is %v and not "+
			"%v: it is another chain", number, number-1, chain.GetCanonicalHash(number-1), first.ParentHash)
	}
	here := chain.Genesis().Hash()
	if genesis == here {
		return nil
	}
	err = fmt.Errorf("its genesis block is %v, that of the chain here is %v", genesis, here)
	stored, readErr := gethcore.ReadGenesis(db)
	if readErr != nil {
		return fmt.Errorf("%w: it is another chain", err)
	}
	switch core.CompareGenesis(stored, genesis) {
	case core.CodeMissingHere:
		return fmt.Errorf("%w: they are the same but for the code of the system contracts, which the one here lacks: supply "+
			"it with gwon contracts import, remove the chain with gwon removedb, and make it again with gwon init", err)
	case core.CodeMissingThere:
		return fmt.Errorf("%w: they are the same but for the code of the system contracts, which the one in the file lacks",
			err)
	default:
		return fmt.Errorf("%w: it is another chain", err)
	}
}

// inWords returns an error of package rlp without the names of Go types, which follow behind these words.
func inWords(err error) error {
	text := err.Error()
	for _, before := range []string{" for ", ", decoding into "} {
		text, _, _ = strings.Cut(text, before)
	}
	if text == err.Error() {
		return err // of a file, which can be looked into
	}
	return errors.New(text)
}

// firstHeader returns the header of the first block of a file or directory, nil when it has none.
func firstHeader(path string) (header *types.Header, err error) {
	source, _, err := openBlocks(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	switch block, err := source.next(); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, err
	case !block.Number().IsUint64():
		return nil, errors.New("it does not begin with an exported block: its number is out of range")
	default:
		return block.Header(), nil
	}
}
