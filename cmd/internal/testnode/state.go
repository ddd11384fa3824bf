// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package testnode

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/ethdb/pebble"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/damage"
	"gwon/cmd/internal/datadir"
	"gwon/cmd/internal/program"
	"gwon/eth"
	"gwon/internal/atomicfile"
)

// devStateFile is the file of a --state directory that says which chain it holds.
const devStateFile = "dev.json"

// devChainDir is where the database of that chain lies, below the directory of the node.
var devChainDir = filepath.Join(program.Name, "chaindata")

// devState is the directory of a developer chain that stays.
type devState struct {
	dir     string
	genesis *gethcore.Genesis // nil before the first run
	content devStateContent
}

// devStateContent is what the file says.
type devStateContent struct {
	ChainID   uint64          `json:"chainId"`
	Faucet    common.Address  `json:"firstAccount"`
	Contracts string          `json:"contracts"`
	Begun     bool            `json:"begun"` // the database was made
	Genesis   json.RawMessage `json:"genesis"`
}

// openDevState reads a --state directory, or describes one that is to be begun. Nothing is written.
func openDevState(ctx *cli.Context, dir string, faucet common.Address) (*devState, error) {
	want := devStateContent{
		ChainID: ctx.Uint64(chainIDFlag.Name), Faucet: faucet,
		Contracts: ctx.String(datadir.ContractsVersionFlag.Name),
	}
	state := &devState{dir: dir, content: want}
	content, err := os.ReadFile(filepath.Join(dir, devStateFile))
	if errors.Is(err, fs.ErrNotExist) {
		entries, err := os.ReadDir(filepath.Join(dir, program.Name, "chaindata"))
		if err == nil && len(entries) > 0 {
			return nil, fmt.Errorf("--%s %s holds a chain that is not one of %s, for %s is missing: give another directory",
				stateFlag.Name, dir, commandName, devStateFile)
		}
		return state, nil
	}
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", stateFlag.Name, err)
	}
	damaged := func(what string) error {
		return fmt.Errorf("--%s %s is damaged: %s; nothing in it was changed: bring a copy of it back, "+
			"or give another directory", stateFlag.Name, dir, what)
	}
	var have devStateContent
	if err := json.Unmarshal(content, &have); err != nil {
		return nil, damaged(fmt.Sprintf("%s cannot be read (%v)", devStateFile, err))
	}
	genesis := new(gethcore.Genesis)
	if err := json.Unmarshal(have.Genesis, genesis); err != nil {
		return nil, damaged(fmt.Sprintf("the genesis in %s cannot be read (%v)", devStateFile, err))
	}
	if _, err := os.Stat(filepath.Join(dir, devChainDir, "CURRENT")); err != nil && have.Begun {
		if entries, _ := os.ReadDir(filepath.Join(dir, devChainDir)); len(entries) == 0 {
			return nil, damaged("the database " + devChainDir + " is missing")
		}
	}
	if have.Begun {
		if err := checkDevDatabase(dir); err != nil {
			return nil, damaged(fmt.Sprintf("the database %s cannot be read (%v)", devChainDir, err))
		}
	}
	for _, f := range []struct {
		flag       string
		have, want any
	}{
		{chainIDFlag.Name, have.ChainID, want.ChainID},
		{mnemonicFlag.Name, have.Faucet, want.Faucet},
		{datadir.ContractsVersionFlag.Name, have.Contracts, want.Contracts},
	} {
		if f.have != f.want && (ctx.IsSet(f.flag) || f.flag == mnemonicFlag.Name) {
			return nil, fmt.Errorf("the chain in --%s %s was begun with another --%s (%v, not %v): give the same, "+
				"or another directory", stateFlag.Name, dir, f.flag, f.have, f.want)
		}
	}
	if ctx.IsSet(allocFlag.Name) {
		return nil, fmt.Errorf("the chain in --%s %s is there, and --%s makes accounts of a new one: leave it out, "+
			"or give another directory", stateFlag.Name, dir, allocFlag.Name)
	}
	state.content, state.genesis = have, genesis
	return state, nil
}

// checkDevDatabase reads the whole database of a directory and changes no file of it. The node, which has the lock of
// the directory, would delete files of a damaged one as it opens it, or panic later.
func checkDevDatabase(dir string) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = errors.New(damage.Text(fault))
		}
	}()
	store, err := pebble.New(filepath.Join(dir, devChainDir), 16, 16, "", true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if rawdb.ReadHeadBlockHash(store) == (common.Hash{}) {
		return errors.New("it names no newest block")
	}
	entries := store.NewIterator(nil, nil)
	defer entries.Release()
	for entries.Next() {
	}
	return entries.Error()
}

// write stores what the directory holds.
func (s *devState) write(genesis *gethcore.Genesis, begun bool) error {
	encoded, err := json.Marshal(genesis)
	if err != nil {
		return fmt.Errorf("encode genesis: %w", err)
	}
	s.content.Genesis, s.content.Begun = encoded, begun
	if err := os.MkdirAll(s.dir, 0o750); err != nil {
		return fmt.Errorf("--%s: %w", stateFlag.Name, err)
	}
	if err := atomicfile.WriteJSON(filepath.Join(s.dir, devStateFile), s.content, 0o644); err != nil {
		return fmt.Errorf("--%s: %w", stateFlag.Name, err)
	}
	return nil
}

// Explain implements nodestart.OwnChain: it says what an error means for the directory.
func (c *Chain) Explain(err error) error {
	if err == nil || c.state == nil {
		return err
	}
	return fmt.Errorf("the chain in --%s %s cannot be continued, and nothing in it was deleted: bring a copy of it back, "+
		"or give another directory: %w", stateFlag.Name, c.state.dir, err)
}

// openDatabase runs the function that opens the database. That of go-ethereum panics over some damaged files.
func (c *Chain) openDatabase(open func() (*eth.Service, error)) (service *eth.Service, err error) {
	if c.state == nil {
		return open()
	}
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("open the database: %v", problem)
		}
	}()
	return open()
}
