// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package blockchain

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/consensus"
	"github.com/ethereum/go-ethereum/core/types"
	gethparams "github.com/ethereum/go-ethereum/params"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/datadir"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/consensus/wbft"
	"gwon/core"
	"gwon/core/rules"
	"gwon/internal/progress"
)

var verifyOnlyFlag = &cli.BoolFlag{
	Name:  "verify-only",
	Usage: "Verify what needs no state, and write nothing; with --mainnet or --testnet no data directory is needed",
}

// verifyBlocks is gwon import --verify-only.
func verifyBlocks(ctx *cli.Context) (err error) {
	v := &blockVerifier{epochs: make(map[uint64]*types.Header)}
	if preset := settings.FlaggedPreset(ctx); preset != nil {
		v.config = core.NetworkGenesis(*preset).Config
	} else {
		opened, err := datadir.OpenChain(ctx, true)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, opened.Close()) }()
		v.config, v.below = opened.Chain.Config(), opened.Chain
	}
	if v.engine, err = wbft.New(v.config, nil); err != nil {
		return err
	}
	meter := new(progress.Meter)
	end := progress.Show(meter.State, os.Stderr)
	for _, path := range ctx.Args().Slice() {
		if err := v.verify(path, meter); err != nil {
			end()
			return fmt.Errorf("verify %s: %w", path, err)
		}
	}
	end()
	return v.report(ctx)
}

// blockVerifier checks blocks as far as that needs no state. It is the chain of headers that the engine asks.
type blockVerifier struct {
	config *gethparams.ChainConfig
	engine *wbft.Engine
	below  consensus.ChainHeaderReader // blocks of the data directory; nil for none

	first, last      *types.Header            // of those verified
	recent           [2]*types.Header         // the last one and its parent, by parity of the number
	epochs           map[uint64]*types.Header // their epoch blocks
	open             uint64                   // blocks whose validators are unknown
	openFrom, openTo uint64
}

// verify checks the blocks of a file or directory, which continue those before.
func (v *blockVerifier) verify(path string, meter *progress.Meter) (err error) {
	source, size, err := openBlocks(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	meter.BeginItems("Verifying", size, "blocks")
	defer meter.End()
	for {
		block, err := source.next()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := v.add(block); err != nil {
			return fmt.Errorf("block %v: %w", block.Number(), err)
		}
		meter.AddItems(1)
		meter.At(source.position())
	}
}

// add verifies the next block.
func (v *blockVerifier) add(block *types.Block) error {
	header := block.Header()
	if header.Number.Sign() > 0 {
		if err := rules.ValidateBasic(block); err != nil {
			return err
		}
	}
	if v.last != nil && (header.Number.Uint64() != v.last.Number.Uint64()+1 || header.ParentHash != v.last.Hash()) {
		return fmt.Errorf("it does not continue block %d [%v]", v.last.Number, v.last.Hash())
	}
	number := header.Number.Uint64()
	switch err := v.engine.VerifyHeader(v, header); {
	case number == 0 && v.below == nil: // nothing names it but its child
	case errors.Is(err, consensus.ErrUnknownAncestor):
		if v.open++; v.open == 1 {
			v.openFrom = number
		}
		v.openTo = number
	case err != nil:
		return err
	}
	if err := v.engine.VerifyUncles(nil, block); err != nil && !errors.Is(err, wbft.ErrHeld) {
		return err
	}
	if v.first == nil {
		v.first = header
	}
	if v.config.LastEpochBlock(number) == number {
		v.epochs[number] = header
	}
	v.last, v.recent[number%2] = header, header
	return nil
}

// report says what was verified and what was not.
func (v *blockVerifier) report(ctx *cli.Context) error {
	if v.first == nil {
		return errors.New("there are no blocks")
	}
	count := v.last.Number.Uint64() - v.first.Number.Uint64() + 1
	text := fmt.Sprintf("Verified %d blocks, %d to %d [%v]: links, transactions, receipts where there are any\n"+
		"Headers and seals: %d blocks\n", count, v.first.Number, v.last.Number, v.last.Hash(), count-v.open)
	if v.open > 0 {
		text += fmt.Sprintf("Not verified: headers and seals of %d blocks from %d to %d, whose validators or parents are "+
			"not known here\n", v.open, v.openFrom, v.openTo)
	}
	if v.below == nil {
		text += "The validators are those that the epoch blocks among them name: compare the last hash with another source\n"
	}
	return program.Print(ctx, map[string]any{"first": v.first.Number, "last": v.last.Number, "hash": v.last.Hash(),
		"blocks": count, "withoutSeals": v.open}, func() error {
		_, err := io.WriteString(ctx.App.Writer, text+"Not verified: states, since nothing was executed\n")
		return err
	})
}

// Config implements consensus.ChainHeaderReader.
func (v *blockVerifier) Config() *gethparams.ChainConfig { return v.config }

// CurrentHeader implements consensus.ChainHeaderReader.
func (v *blockVerifier) CurrentHeader() *types.Header { return v.last }

// GetHeaderByNumber implements consensus.ChainHeaderReader.
func (v *blockVerifier) GetHeaderByNumber(number uint64) *types.Header {
	if header := v.recent[number%2]; header != nil && header.Number.Uint64() == number {
		return header
	}
	if header := v.epochs[number]; header != nil {
		return header
	}
	if v.below == nil {
		return nil
	}
	return v.below.GetHeaderByNumber(number)
}

// GetHeader implements consensus.ChainHeaderReader.
func (v *blockVerifier) GetHeader(hash common.Hash, number uint64) *types.Header {
	if header := v.GetHeaderByNumber(number); header != nil && header.Hash() == hash {
		return header
	}
	return nil
}

// GetHeaderByHash implements consensus.ChainHeaderReader.
func (v *blockVerifier) GetHeaderByHash(hash common.Hash) *types.Header {
	if v.last != nil && v.last.Hash() == hash {
		return v.last
	}
	if v.below == nil {
		return nil
	}
	return v.below.GetHeaderByHash(hash)
}
