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
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/ethereum/go-ethereum/cmd/utils"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/datadir"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/eth/persist"
	"gwon/internal/progress"
	"gwon/internal/shellword"
	"gwon/operator/adopt"
)

var (
	adoptKeyFlag = &cli.BoolFlag{
		Name: "key",
		Usage: "Move the node key, which is the validator's, out of the directory of go-stablenet: it must never be on two " +
			"running nodes",
	}
	oldAncientFlag = &cli.PathFlag{
		Name:  "old.ancient",
		Usage: "Ancient store of go-stablenet, where its --datadir.ancient names one outside of its data directory",
	}
)

var returnFlag = &cli.BoolFlag{
	Name: "return",
	Usage: "Give chain and state of --datadir back to the directory from which they were taken over, whose chain " +
		"database stays beside the new one; with --key the node key, too",
}

// AdoptCommand takes a data directory of go-stablenet over, and gives it back.
var AdoptCommand = &cli.Command{
	Name:      settings.AdoptFlag.Name,
	Usage:     "Take over chain, state, key store and, with --key, node key from a data directory of go-stablenet",
	ArgsUsage: "OLD",
	Description: "OLD is the data directory of go-stablenet, or the directory " + adopt.Instance + " in it. It is read " +
		"and never changed, except for the key that is moved. After an interruption the same command begins again.",
	Flags: slices.Concat([]cli.Flag{adoptKeyFlag, oldAncientFlag, returnFlag, settings.ConfigFlag, settings.DataDirFlag},
		settings.NetworkFlags),
	Action: func(ctx *cli.Context) error {
		cfg, _, err := settings.Load(ctx)
		switch {
		case err != nil:
			return err
		case ctx.Bool(returnFlag.Name) && ctx.NArg() > 0:
			return fmt.Errorf("%s is not needed: gwon knows the directory from which it took the chain over", ctx.Args().First())
		case ctx.Bool(returnFlag.Name):
			return giveBack(ctx, cfg)
		case ctx.NArg() != 1:
			return errors.New("name the data directory of go-stablenet, as in: gwon adopt ~/.ethereum")
		}
		return Adopt(ctx, cfg, program.ExpandHome(ctx.Args().First()), ctx.Bool(adoptKeyFlag.Name))
	},
}

// AdoptAtStart takes over what a data directory has of go-stablenet before gwon starts in it for the first time. A
// validator takes its key, which a call that was cut short may have left in both places: it does not start with that.
func AdoptAtStart(ctx *cli.Context, cfg *settings.Config) error {
	key := cfg.Gwon.Mine && cfg.Gwon.Signer == "" && !ctx.IsSet(utils.NodeKeyFileFlag.Name) &&
		!ctx.IsSet(utils.NodeKeyHexFlag.Name)
	if dir := cfg.Node.DataDir; ctx.Bool(settings.AdoptFlag.Name) && adopt.IsDue(dir, program.Name, key) {
		return Adopt(ctx, cfg, dir, key)
	}
	instance := filepath.Join(cfg.Node.DataDir, program.Name)
	if old := adopt.KeyIsTwice(instance); old != "" && key {
		return fmt.Errorf("the node key of %s is in %s, too, and must never be on two running nodes: move it with: gwon %s "+
			"--%s %s --%s %s", instance, old, settings.AdoptFlag.Name, settings.DataDirFlag.Name,
			shellword.Quote(cfg.Node.DataDir), adoptKeyFlag.Name, shellword.Quote(old))
	}
	return nil
}

// Adopt takes the data directory old of go-stablenet over into that of a configuration, and says what was taken.
func Adopt(ctx *cli.Context, cfg *settings.Config, old string, key bool) error {
	switch {
	case cfg.Node.DataDir == "":
		return errors.New("no data directory: give --datadir")
	case cfg.Eth.DatabaseFreezer != "":
		return errors.New("the ancient store is taken over into the chain database: leave DatabaseFreezer and " +
			"--datadir.ancient out, and move the ancient store afterwards")
	}
	old, err := filepath.Abs(old)
	if err != nil {
		return err
	}
	result, err := runAdopt(ctx, cfg, adopt.Run, old, key)
	if err != nil {
		return err
	}
	return reportAdopted(ctx.App.Writer, result)
}

// runAdopt runs one of the two ways with a progress bar, until a signal comes.
func runAdopt(ctx *cli.Context, cfg *settings.Config,
	run func(context.Context, adopt.Options) (*adopt.Result, error), old string, key bool,
) (*adopt.Result, error) {
	interruptible, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	meter := new(progress.Meter)
	end := progress.Show(meter.State, os.Stderr)
	defer end()
	result, err := run(interruptible, adopt.Options{
		Old: old, Ancient: ctx.Path(oldAncientFlag.Name), DataDir: cfg.Node.DataDir, Name: program.Name, Key: key,
		Meter: meter, Free: utils.FreeDiskSpace,
	})
	if errors.Is(err, context.Canceled) {
		return nil, program.ErrInterrupted
	}
	return result, err
}

// giveBack writes the state of the head to disk, where go-stablenet looks for it, and gives the chain back.
func giveBack(ctx *cli.Context, cfg *settings.Config) (err error) {
	if err := adopt.CanReturn(cfg.Node.DataDir, program.Name, ctx.Bool(adoptKeyFlag.Name)); err != nil {
		return err
	}
	opened, err := datadir.OpenChain(ctx, false)
	if err != nil {
		return err
	}
	chain := opened.Chain
	head := chain.CurrentBlock()
	number := head.Number.Uint64()
	if persist.FindReplay(chain, nil) != nil {
		err = fmt.Errorf("blocks above %d are to be executed: start gwon, and stop it with a signal before", number)
	} else if state, found := rawdb.NewestState(opened.DB, head.Hash(), number); !found || state != number {
		err = chain.TrieDB().Commit(head.Root, false)
	}
	if err := errors.Join(err, opened.Close()); err != nil {
		return err
	}
	r, err := runAdopt(ctx, cfg, adopt.Return, "", ctx.Bool(adoptKeyFlag.Name))
	if err != nil {
		return err
	}
	var text strings.Builder
	took := r.Took.Round(time.Millisecond)
	fmt.Fprintf(&text, "Gave %s back to %s in %v, head %d %v\n", r.From, r.To, took, r.Chain.Head, r.Chain.Hash)
	if len(r.Left) > 0 {
		fmt.Fprintf(&text, "What was there before is in %s: delete it when go-stablenet has started\n", r.Left[0])
	}
	if r.Key {
		fmt.Fprintf(&text, "Moved the node key to %s: start go-stablenet when the others have made ten blocks without it\n",
			r.To)
	}
	_, err = io.WriteString(ctx.App.Writer, text.String())
	return err
}

// reportAdopted prints what was taken over.
func reportAdopted(w io.Writer, r *adopt.Result) error {
	var text strings.Builder
	if !r.Finished {
		c := r.Chain
		fmt.Fprintf(&text, "Took %s over into %s in %v\n", r.From, r.To, r.Took.Round(time.Millisecond))
		fmt.Fprintf(&text, "  chain ID      %d\n  genesis block %v\n", c.ChainID, c.Genesis)
		fmt.Fprintf(&text, "  head          %d %v\n", c.Head, c.Hash)
		fmt.Fprintf(&text, "  database      %s, state scheme %s\n", c.Engine, c.Scheme)
		fmt.Fprintf(&text, "  files         %d cloned, %d linked, %d copied (%v)\n", r.Clones, r.Links, r.Copies,
			common.StorageSize(r.Copied))
		fmt.Fprintf(&text, "  key store     %d new files\n", r.Accounts)
		if c.State < c.Head {
			fmt.Fprintf(&text, "Blocks %d to %d are executed again at the first start\n", c.State+1, c.Head)
		}
		if len(r.Left) > 0 {
			fmt.Fprintf(&text, "Left in %s: %s\n", r.From, strings.Join(r.Left, ", "))
		}
	}
	if r.Key {
		fmt.Fprintf(&text, "Moved the node key from %s to %s\n", r.From, r.To)
	}
	if text.Len() == 0 {
		fmt.Fprintf(&text, "%s was taken over before, with the node key\n", r.From)
	}
	_, err := io.WriteString(w, text.String())
	return err
}
