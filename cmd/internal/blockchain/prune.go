// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package blockchain

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/core/history"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/datadir"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/internal/progress"
)

// PruneHistoryCommand drops old transactions and receipts.
var PruneHistoryCommand = &cli.Command{
	Name:  "prune-history",
	Usage: "Drop the transactions and receipts of all blocks before the one that --history.chain names, for good",
	Flags: slices.Concat([]cli.Flag{program.YesFlag, settings.ConfigFlag, utils.ChainHistoryFlag,
		utils.CacheFlag, utils.CacheDatabaseFlag}, settings.NetworkFlags, settings.DatabaseFlags),
	Action: func(ctx *cli.Context) error {
		if !ctx.IsSet(utils.ChainHistoryFlag.Name) {
			return fmt.Errorf("say what to keep: --%s NUMBER:HASH of the oldest block whose transactions stay",
				utils.ChainHistoryFlag.Name)
		}
		return pruneHistory(ctx)
	},
}

// pruneHistory drops bodies and receipts below a block from the ancient store, and the transactions in them from the
// index. Headers stay.
func pruneHistory(ctx *cli.Context) (err error) {
	policy, err := settings.ParseHistory(ctx.String(utils.ChainHistoryFlag.Name))
	if err != nil {
		return err
	}
	if policy.Mode != history.KeepCustom {
		return fmt.Errorf("--%s %s names no block of this chain: give NUMBER:HASH of the oldest "+
			"block whose transactions stay", utils.ChainHistoryFlag.Name, policy)
	}
	target := policy.Target
	opened, err := datadir.OpenChain(ctx, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	db, chain := opened.DB, opened.Chain
	if head := max(chain.CurrentHeader().Number.Uint64(),
		chain.CurrentSnapBlock().Number.Uint64()); target.BlockNumber > head {
		return fmt.Errorf("block %d is above the head of this chain, which is block %d: nothing dropped; "+
			"name a block that the chain has", target.BlockNumber, head)
	}
	if hash := chain.GetCanonicalHash(target.BlockNumber); hash != target.BlockHash {
		return fmt.Errorf("block %d of this chain is %v, not %v: nothing dropped; "+
			"take number and hash from one block of this chain", target.BlockNumber, hash, target.BlockHash)
	}
	tail, err := db.Tail(rawdb.ChainFreezerBlockDataGroup)
	if err != nil {
		return err
	}
	frozen, err := db.Ancients()
	switch {
	case err != nil:
		return err
	case tail > target.BlockNumber:
		return fmt.Errorf("the history before block %d is gone already; only the network can bring it back, "+
			"into a new data directory", tail)
	case target.BlockNumber >= frozen:
		return fmt.Errorf("block %d is too new: history can be dropped of blocks that are in the ancient store, which are "+
			"those before %d; the last 90,000 blocks of the chain are not", target.BlockNumber, frozen)
	case tail == target.BlockNumber:
		_, err = fmt.Fprintf(ctx.App.Writer, "The history before block %d is gone already\n", tail)
		return err
	}
	if !ctx.Bool(program.YesFlag.Name) {
		sure, err := program.AskYesOrNo(fmt.Sprintf("Drop the transactions and receipts of blocks %d to %d for good?", tail,
			target.BlockNumber-1))
		if err != nil {
			return fmt.Errorf("nothing dropped: %w", err)
		}
		if !sure {
			return errors.New("nothing dropped")
		}
	}
	start := time.Now()
	meter := new(progress.Meter)
	end := progress.Show(meter.State, os.Stderr)
	defer end()
	meter.BeginItems("Removing transactions from the index", 1<<16, "transactions")
	rawdb.PruneTransactionIndex(&watchedIndex{db, meter}, target.BlockNumber)
	meter.Begin("Dropping history", 0)
	if _, err := db.TruncateTail(rawdb.ChainFreezerBlockDataGroup, target.BlockNumber); err != nil {
		return fmt.Errorf("drop history: %w", err)
	}
	end()
	_, err = fmt.Fprintf(ctx.App.Writer, "Dropped the transactions and receipts before block %d in %v; start the node "+
		"with --%s %s from now on\n",
		target.BlockNumber, time.Since(start).Round(time.Millisecond), utils.ChainHistoryFlag.Name, policy)
	return err
}

// watchedIndex is a database that counts the rows of an iteration. Their keys are hashes, so that a key shows how far
// it is.
type watchedIndex struct {
	ethdb.Database
	meter *progress.Meter
}

// NewIterator implements ethdb.Iteratee.
func (w *watchedIndex) NewIterator(prefix, start []byte) ethdb.Iterator {
	return &watchedRows{w.Database.NewIterator(prefix, start), w.meter, len(prefix)}
}

// watchedRows iterates for watchedIndex.
type watchedRows struct {
	ethdb.Iterator
	meter  *progress.Meter
	prefix int // bytes
}

// Next implements ethdb.Iterator.
func (r *watchedRows) Next() bool {
	if !r.Iterator.Next() {
		return false
	}
	r.meter.AddItems(1)
	if hash := r.Key()[r.prefix:]; len(hash) > 1 {
		r.meter.At(uint64(binary.BigEndian.Uint16(hash)))
	}
	return true
}
