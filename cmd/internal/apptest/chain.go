// Copyright 2026 The gwon Authors
// SPDX-License-Identifier: GPL-3.0-or-later

package apptest

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	gethcore "github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/node"
	gethparams "github.com/ethereum/go-ethereum/params"

	"gwon/cmd/internal/program"
	"gwon/consensus/wbft"
	"gwon/consensus/wbft/wbfttest"
	"gwon/core"
	"gwon/params"
)

// PrivateGenesis writes the genesis file of a network of one validator, and returns its path.
func PrivateGenesis(t *testing.T) string {
	t.Helper()
	config, err := params.DevConfig(params.DevChainID, params.DevnetValidator{
		Address: common.Address{0: 0xaa}, BLSPublicKey: bytes.Repeat([]byte{1}, gethparams.BLSPublicKeyLength),
	}, 1, params.V1)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(core.DevnetGenesis(config, 1_700_000_000, types.GenesisAlloc{{1}: {Balance: common.Big32}}))
	if err != nil {
		t.Fatal(err)
	}
	return WriteFile(t, filepath.Join(t.TempDir(), "genesis.json"), string(text))
}

// open opens the chain database of a data directory, as a node does.
func open(t *testing.T, data string) (*node.Node, ethdb.Database) {
	t.Helper()
	stack, err := node.New(&node.Config{DataDir: data, Name: program.Name})
	if err != nil {
		t.Fatal(err)
	}
	db, err := stack.OpenDatabaseWithOptions("chaindata", node.DatabaseOptions{Cache: 16, Handles: 16})
	if err != nil {
		t.Fatal(err)
	}
	return stack, db
}

// Hold opens the chain database of a data directory, as a node does, until release is called.
func Hold(t *testing.T, data string) (release func()) {
	t.Helper()
	stack, db := open(t, data)
	return func() {
		if err := errors.Join(db.Close(), stack.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// OnChain has work done on the chain of a data directory, which is made when there is none.
func OnChain(t *testing.T, data string, net *wbfttest.Network, work func(*gethcore.BlockChain) error) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	stack, db := open(t, data)
	engine, err := wbft.New(net.Genesis.Config, nil)
	check(err)
	options := gethcore.DefaultConfig()
	options.StateScheme, options.TrieJournalDirectory = rawdb.PathScheme, stack.ResolvePath("triedb")
	chain, err := gethcore.NewBlockChain(db, net.Genesis, engine, options)
	check(err)
	check(work(chain))
	chain.Stop()
	check(db.Close())
	check(stack.Close())
}
