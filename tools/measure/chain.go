// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: LGPL-3.0-or-later

package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/node"

	"gwon/consensus/wbft/wbfttest"
	"gwon/core"
)

// liveChain returns the options of a chain as on a live network.
func liveChain() wbfttest.LiveOptions {
	return wbfttest.LiveOptions{Last: 40_000, Validators: 7, EpochLength: 140, Boho: 1000, Seed: 1, LightEvery: 20,
		LightTxs: 3, FullEvery: 10_000, FullTxs: 4900, ChangeEvery: 50}
}

// chain makes the chain of a network that has run for long, in a data directory with which a node can start.
//
// DIR/genesis.json is for gwon init of other nodes, DIR/node is a data directory, and DIR/keys has the node keys of the
// validators at the genesis block. Blocks are sealed as on a live network, with late seals in their children. The same
// flags give the same chain. With more -blocks a later call goes on with it. -unsealed puts random bytes in place of
// seals: faster, for what depends on length alone; no peer takes such a chain.
func chain(flags *flag.FlagSet) func(context.Context) error {
	o := liveChain()
	dir := flags.String("dir", "", "directory of genesis, keys and data directory")
	file := flags.String("export", "", "file that gets the blocks, for gwon import")
	flags.Uint64Var(&o.Last, "blocks", o.Last, "number of the last block")
	return func(ctx context.Context) error { return makeChain(ctx, *dir, *file, o) }
}

func makeChain(ctx context.Context, dir, file string, o wbfttest.LiveOptions) (err error) {
	if dir == "" {
		return errors.New("name a directory with -dir")
	}
	if o.Last == 0 {
		return errors.New("give -blocks of at least 1")
	}
	if err := writeNetwork(dir, o); err != nil {
		return err
	}
	recipe, err := o.Recipe()
	if err != nil {
		return err
	}
	stack, err := node.New(&node.Config{DataDir: filepath.Join(dir, "node"), Name: "gwon"})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stack.Close()) }()
	db, err := stack.OpenDatabaseWithOptions("chaindata", node.DatabaseOptions{
		Cache: 512, Handles: 512, AncientsDirectory: filepath.Join(stack.ResolvePath("chaindata"), "ancient"),
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	m, err := wbfttest.NewMaker(db, recipe)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	first, start := m.CurrentHeader().Number.Uint64(), time.Now()
	if first > o.Last {
		return fmt.Errorf("the chain in %s has %d blocks already: give more -blocks, or another -dir", dir, first)
	}
	if err := m.KeepLive(o.Last); err != nil {
		return err
	}
	if err := m.Make(ctx, o.Last); err != nil {
		return fmt.Errorf("%w; the same call goes on with the chain", err)
	}
	fmt.Printf("blocks %d to %d in %v\n", first, o.Last, time.Since(start).Round(time.Second))
	if file == "" {
		return nil
	}
	return export(m, file)
}

// writeNetwork writes genesis block and keys. Those of an earlier call must be the same.
func writeNetwork(dir string, o wbfttest.LiveOptions) error {
	genesis, keys, err := o.Genesis()
	if err != nil {
		return err
	}
	text, err := core.EncodeGenesis(genesis)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, "genesis.json")
	switch before, err := os.ReadFile(path); {
	case err == nil && !bytes.Equal(before, text):
		return fmt.Errorf("%s is of other flags: give those of the first call, or another -dir", path)
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, "keys"), 0o700); err != nil {
		return err
	}
	for i, key := range keys {
		if err := crypto.SaveECDSA(filepath.Join(dir, "keys", strconv.Itoa(i)), key); err != nil {
			return err
		}
	}
	return os.WriteFile(path, text, 0o600)
}

func export(m *wbfttest.Maker, file string) (err error) {
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	return m.Export(out)
}
