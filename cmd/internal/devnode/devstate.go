// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package devnode

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ethereum/go-ethereum/accounts"
	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/ethdb/pebble"
	"github.com/ethereum/go-ethereum/node"
	"github.com/urfave/cli/v2"

	"gwon/cmd/internal/damage"
	"gwon/cmd/internal/program"
	"gwon/cmd/internal/settings"
	"gwon/dev/devchain"
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
		ChainID: ctx.Uint64(settings.DevChainIDFlag.Name), Faucet: faucet,
		Contracts: ctx.String(settings.ContractsVersionFlag.Name),
	}
	state := &devState{dir: dir, content: want}
	content, err := os.ReadFile(filepath.Join(dir, devStateFile))
	if errors.Is(err, fs.ErrNotExist) {
		entries, err := os.ReadDir(filepath.Join(dir, program.Name, "chaindata"))
		if err == nil && len(entries) > 0 {
			return nil, fmt.Errorf("--%s %s holds a chain that is not one of --%s, for %s is missing: give another directory",
				settings.DevStateFlag.Name, dir, settings.DevFlag.Name, devStateFile)
		}
		return state, nil
	}
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", settings.DevStateFlag.Name, err)
	}
	damaged := func(what string) error {
		return fmt.Errorf("--%s %s is damaged: %s; nothing in it was changed: bring a copy of it back, "+
			"or give another directory", settings.DevStateFlag.Name, dir, what)
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
		{settings.DevChainIDFlag.Name, have.ChainID, want.ChainID},
		{settings.DevMnemonicFlag.Name, have.Faucet, want.Faucet},
		{settings.ContractsVersionFlag.Name, have.Contracts, want.Contracts},
	} {
		if f.have != f.want && (ctx.IsSet(f.flag) || f.flag == settings.DevMnemonicFlag.Name) {
			return nil, fmt.Errorf("the chain in --%s %s was begun with another --%s (%v, not %v): give the same, "+
				"or another directory", settings.DevStateFlag.Name, dir, f.flag, f.have, f.want)
		}
	}
	if ctx.IsSet(settings.DevAllocFlag.Name) {
		return nil, fmt.Errorf("the chain in --%s %s is there, and --%s makes accounts of a new one: leave it out, "+
			"or give another directory", settings.DevStateFlag.Name, dir, settings.DevAllocFlag.Name)
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
	content, err := json.MarshalIndent(s.content, "", "  ")
	if err != nil {
		return fmt.Errorf("encode %s: %w", devStateFile, err)
	}
	if err := os.MkdirAll(s.dir, 0o750); err != nil {
		return fmt.Errorf("--%s: %w", settings.DevStateFlag.Name, err)
	}
	if err := atomicfile.Write(filepath.Join(s.dir, devStateFile), append(content, '\n'), 0o644); err != nil {
		return fmt.Errorf("--%s: %w", settings.DevStateFlag.Name, err)
	}
	return nil
}

// Backend returns the accounts that the node signs for.
func (d *Node) Backend() accounts.Backend {
	list := make([]devchain.Account, len(d.accounts))
	for i, a := range d.accounts {
		list[i] = devchain.Account{Address: a.Address, Key: a.Key()}
	}
	return devchain.Backend(list)
}

// Attach connects the developer chain to the services of the node, of which err is the error.
func (d *Node) Attach(stack *node.Node, service *eth.Service, err error) error {
	if err == nil {
		err = d.Chain.Attach(stack, service)
	}
	if d.state == nil || err != nil {
		return d.Explain(err)
	}
	if d.state.content.Begun {
		return nil
	}
	return d.state.write(d.genesis, true)
}

// Explain completes an error of a developer chain by what it means for its directory.
func (d *Node) Explain(err error) error {
	if err == nil || d.state == nil {
		return err
	}
	return fmt.Errorf("the chain in --%s %s cannot be continued, and nothing in it was deleted: bring a copy of it back, "+
		"or give another directory: %w", settings.DevStateFlag.Name, d.state.dir, err)
}

// Open runs the function that opens the database. That of go-ethereum panics over some damaged files.
func (d *Node) Open(database func() (*eth.Service, error)) (service *eth.Service, err error) {
	if d.state == nil {
		return database()
	}
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("open the database: %v", problem)
		}
	}()
	return database()
}
