// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package blockchain

import (
	"compress/gzip"
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
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/datadir"
	"gwon/cmd/internal/settings"
	"gwon/consensus/wbft"
	"gwon/core"
	"gwon/eth/persist"
	"gwon/internal/progress"
)

// ImportCommand imports blocks from files.
var ImportCommand = &cli.Command{
	Name:      "import",
	Usage:     "Import blocks from files that gwon export wrote",
	ArgsUsage: "<file>...",
	Flags:     settings.NodeFlags(),
	Action:    importChain,
}

func importChain(ctx *cli.Context) (err error) {
	if ctx.NArg() == 0 {
		return errors.New("name the files to import")
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
	_, err = fmt.Fprintf(ctx.App.Writer, "Imported up to block %d in %v\n",
		chain.CurrentBlock().Number, time.Since(start).Round(time.Millisecond))
	return err
}

// checkFirstBlock refuses a file whose blocks do not fit onto the chain, before any of them is executed: it says
// whether they are another chain's, or begin above the head.
func checkFirstBlock(path string, db ethdb.Database, chain *gethcore.BlockChain) error {
	first, err := readFirstHeader(path)
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

// readFirstHeader returns the header of the first block in a file of exported blocks, nil when it has none.
func readFirstHeader(path string) (header *types.Header, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	var reader io.Reader = file
	if strings.HasSuffix(path, ".gz") {
		if reader, err = gzip.NewReader(reader); err != nil {
			return nil, fmt.Errorf("it is no gzip file: %w", err)
		}
	}
	var block struct {
		Header *types.Header
		Rest   []rlp.RawValue `rlp:"tail"`
	}
	switch err := rlp.NewStream(reader, 0).Decode(&block); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("it does not begin with an exported block (%w): give a file that gwon export wrote, whose "+
			"name ends in .gz if it is compressed", inWords(err))
	case block.Header.Number == nil || !block.Header.Number.IsUint64():
		return nil, errors.New("it does not begin with an exported block: that has no number")
	}
	return block.Header, nil
}
