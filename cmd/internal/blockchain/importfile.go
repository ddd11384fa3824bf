// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package blockchain

import (
	"context"
	"errors"
	"fmt"
	"io"

	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/log"
	"golang.org/x/sync/errgroup"

	"gwon/consensus/wbft"
	"gwon/core/rules"
	"gwon/eth/persist"
	"gwon/internal/progress"
)

// fileImport executes the blocks of a file.
type fileImport struct {
	chain     *gethcore.BlockChain
	engine    *wbft.Engine
	verifyAll bool // the seals of each block, not only those that vouch for the others
	meter     *progress.Meter
}

// fileRun is a run of consecutive blocks.
type fileRun struct {
	blocks types.Blocks
	end    uint64 // of the last one in the file, in bytes
}

// counted counts the bytes that are read from a file.
type counted struct {
	io.Reader
	bytes uint64
}

// Read implements io.Reader.
func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.bytes += uint64(n)
	return n, err
}

// run imports what openBlocks opens. Blocks that are there already are skipped. It stops between two runs of blocks
// when ctx ends.
func (f *fileImport) run(ctx context.Context, path string) (err error) {
	source, size, err := openBlocks(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	f.meter.BeginItems("Importing", size, "blocks")
	defer f.meter.End()
	log.Info("Importing blocks", "file", path)
	runs := make(chan fileRun, 1)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(runs)
		return f.read(ctx, source, runs)
	})
	group.Go(func() error {
		for run := range runs {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := f.insert(run.blocks); err != nil {
				return err
			}
			f.meter.AddItems(len(run.blocks))
			f.meter.At(run.end)
		}
		return nil
	})
	return group.Wait()
}

// read decodes blocks, and sends them in runs of consecutive ones that are not in the chain.
func (f *fileImport) read(ctx context.Context, source blockSource, runs chan<- fileRun) error {
	var (
		blocks types.Blocks
		size   uint64
		count  int
	)
	send := func() error {
		if len(blocks) == 0 {
			return nil
		}
		first := blocks[0]
		gethcore.SenderCacher().RecoverFromBlocks(types.MakeSigner(f.chain.Config(), first.Number(), first.Time()), blocks)
		select {
		case runs <- fileRun{blocks, source.position()}:
			blocks, size = nil, 0
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for {
		block, err := source.next()
		if errors.Is(err, io.EOF) {
			return send()
		} else if err != nil {
			return err
		}
		if count++; count == 1 && block.NumberU64() == 0 {
			continue // checkFirstBlock has looked at it
		}
		if err := rules.ValidateBasic(block); err != nil {
			return fmt.Errorf("block %d of the file: %w", count-1, err)
		}
		block = rules.TrimSeals(block)
		if len(blocks) == 0 && f.has(block) {
			f.meter.Skip(source.position())
			continue
		}
		if len(blocks) > 0 && block.ParentHash() != blocks[len(blocks)-1].Hash() {
			if err := send(); err != nil {
				return err
			}
		}
		blocks = append(blocks, block)
		if size += block.Size(); len(blocks) == persist.RunBlocks || size >= persist.RunBytes {
			if err := send(); err != nil {
				return err
			}
		}
	}
}

// has reports whether a block need not be executed again.
func (f *fileImport) has(block *types.Block) bool {
	if block.NumberU64() < f.chain.CurrentBlock().Number.Uint64() {
		return f.chain.HasBlock(block.Hash(), block.NumberU64())
	}
	return f.chain.HasBlockAndState(block.Hash(), block.NumberU64())
}

// insert executes consecutive blocks. A quorum's seals at their end vouch for all of them, as in a sync. Where they do
// not, each block is verified, so that the error names the one at fault.
func (f *fileImport) insert(blocks types.Blocks) error {
	if !f.verifyAll {
		blocks = f.prove(blocks)
	}
	f.engine.Follow(blocks) // the operator vouches for the file
	n, err := f.chain.InsertChain(blocks)
	if err != nil {
		return fmt.Errorf("invalid block %d: %w", blocks[min(n, len(blocks)-1)].NumberU64(), err)
	}
	if last := blocks[len(blocks)-1]; !f.chain.HasBlock(last.Hash(), last.NumberU64()) {
		return errors.New("interrupted") // the chain is being closed
	}
	return nil
}

// prove returns the blocks as the engine takes them for verified, or unchanged where nothing vouches for them. The
// seals over each block stay as they are in the file if they are good; others are replaced by those that the next block
// holds.
func (f *fileImport) prove(blocks types.Blocks) types.Blocks {
	headers := make([]*types.Header, len(blocks))
	for i, b := range blocks {
		headers[i] = b.Header()
	}
	kept, damaged, err := f.engine.Receive(f.chain, headers, 0, true)
	if err != nil {
		return blocks
	}
	if damaged > 0 {
		log.Warn("Seals replaced: the file has bad ones, the next block holds good ones", "blocks", damaged,
			"first", headers[0].Number, "last", headers[len(headers)-1].Number)
	}
	proven := make(types.Blocks, len(blocks))
	for i, b := range blocks {
		proven[i] = b.WithSeal(kept[i])
	}
	return proven
}
